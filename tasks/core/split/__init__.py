"""Train, val and test: groups kept together, published images kept where they are, the rest dealt stratum by stratum.

`decide` is the whole of it; `units` says what must lie together, `own` which split a source itself has given, and
`deal` deals what is new: `groups` places what is more than one image, `seats` says how many of each stratum's images
each split still lacks, `batches` deals these. `drift` tells how far it all is from the ratios.
"""
