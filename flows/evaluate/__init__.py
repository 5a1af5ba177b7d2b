"""What a person starts to measure by the papers' protocols: one flow a file."""
