"""What datasets hold, in numbers: what a choice has changed in a release, and any truths side by side."""
