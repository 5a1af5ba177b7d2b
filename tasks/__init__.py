"""The shells: one module per stage, saying what is retried, cached and run at once."""
