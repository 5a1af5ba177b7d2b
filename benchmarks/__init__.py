"""Measurements and campaigns that take longer than a test may. Each leaves its figures in benchmarks/results."""
