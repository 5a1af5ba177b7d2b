"""How well a classifier names the classes of images, such as the styles of paintings (ArtBench, Fig. 5).

`predictions` reads what a classifier says, counts which class it takes for which and sums that up; `page` says it.
"""
