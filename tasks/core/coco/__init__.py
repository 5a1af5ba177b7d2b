"""COCO, in and out: the only place that knows what a box, an id, a category and a document are.

`box` and `ids` are the rules; `reader` reads a document and `results` a list of detections; `source`, `truth` and
`imported` are what sources, the evaluator and imported detections take from them; `document` writes.
"""
