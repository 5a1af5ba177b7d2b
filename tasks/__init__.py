"""The shells: one module per stage, saying what is retried, cached and run at once.

The rules lie in core, the hands in io.
"""
