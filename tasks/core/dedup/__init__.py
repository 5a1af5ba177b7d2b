"""dedup: which images show one work."""
