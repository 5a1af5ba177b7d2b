"""Detectors, one file for each kind: upright RGB pictures in, boxes, scores and classes out.

Each has a library of its own.
"""
