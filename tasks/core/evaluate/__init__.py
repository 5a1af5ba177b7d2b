"""How well detectors, raters, models and generators do, by the papers' protocols: a module or folder each.

`systems` compares several on the same units, with resamples and by group; `systems_page` and `charts` write it down.
"""
