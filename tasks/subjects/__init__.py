"""What several stages and commands share: the release before, what people decide and draw, roles, detectors."""
