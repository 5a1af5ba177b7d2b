"""How well detectors, raters, models and generators do, by the papers' protocols: a module or folder each.

`systems` compares several on the same units, with resamples and by group; `systems_page` and `charts` write that as
tables and plots. `scores` computes COCO's twelve numbers by a library, `matching` says which boxes are right.
"""
