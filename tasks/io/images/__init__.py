"""Image bytes: decoding, the one inspection of each image, its thumbnail."""
