"""Detectors: upright RGB pictures in, boxes, scores and classes out.

ONNX (onnx.py), torchvision (torchvision_*.py) and HOG (hog.py) have a library each; the others serve all of them.
"""
