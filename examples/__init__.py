"""Things to try bilderatlas on without a network."""
