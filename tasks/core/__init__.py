"""The rules: pure functions of values. No file, no network, no clock, no global randomness."""
