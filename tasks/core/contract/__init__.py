"""Data contracts: the rules that follow from one, and what a change of one means to readers."""
