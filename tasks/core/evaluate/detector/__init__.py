"""Detectors of figures by COCO's numbers, and as filters of images (PoPArt)."""
