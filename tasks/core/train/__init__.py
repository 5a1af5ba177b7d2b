"""Rules of training: the schedule, the changes of pictures, the images to learn from, the curves."""
