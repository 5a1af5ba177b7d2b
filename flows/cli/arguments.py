"""Kinds of arguments that several commands take."""

import argparse


def whole(text: str) -> int:
    """A whole number from 0 on."""
    return _from(0, text)


def positive(text: str) -> int:
    """A whole number from 1 on."""
    return _from(1, text)


def _from(least: int, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"expected a whole number from {least} on, got {text}")
    return value
