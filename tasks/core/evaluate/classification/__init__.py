"""How well a classifier names the classes of images, such as the styles of paintings (ArtBench, Fig. 5)."""
