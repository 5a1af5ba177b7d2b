"""What a detector's output means: boxes, layouts, counts."""
