"""Image bytes: decoded, looked at once, kept as thumbnails."""
