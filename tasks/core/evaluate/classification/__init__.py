"""How well a classifier names the classes of images, such as the styles of paintings (ArtBench, Fig. 5).

`predictions` reads what a classifier says, `confusion` counts which class it takes for which, `scores` sums that up.
"""
