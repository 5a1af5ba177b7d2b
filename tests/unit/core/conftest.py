"""Hypothesis: the same examples in every run, and no deadline on machines that others use too."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True, database=None, max_examples=100)
settings.load_profile("house")
