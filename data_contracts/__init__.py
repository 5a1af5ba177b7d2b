"""The promises: language-neutral contracts of what a release holds. No logic."""
