"""Training with torch: samples, augmentations, steps, checkpoints."""
