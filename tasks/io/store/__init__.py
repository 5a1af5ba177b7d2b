"""The store: its paths, its files, its releases."""
