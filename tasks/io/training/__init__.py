"""What a training needs of torch and of the disk: samples, steps, checkpoints."""
