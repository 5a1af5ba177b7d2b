"""The desk: what a person starts."""
