"""The words: what a recipe, a record and every stored table look like. Imports nothing else of the project."""
