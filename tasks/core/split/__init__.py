"""Train, val and test: groups kept together, published images kept where they are, the rest dealt stratum by stratum.

`decide` is the whole of it; `units` says what must lie together, and which split a source itself has given; `deal`
deals what is new: `groups` several images that stay together, `batches` single ones. `drift` tells how far it is off.
"""
