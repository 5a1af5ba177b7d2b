"""COCO, in and out: what a box, a category and a document is."""
