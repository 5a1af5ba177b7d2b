"""How well a pose estimator finds people's keypoints: COCO's average precision, with any scheme and any sigmas."""
