"""The shipped keypoint schemes, and categories that have them."""

from schemas.keypoints import Category, CocoCategory, resolve_categories, shipped_schemes

ANIMAL_20, COCO_17, FACE_106 = shipped_schemes().values()
NAMES = COCO_17.joints

ZOO = (
    Category(name="person"),
    Category(name="dog", supercategory="animal", keypoints="animal-20"),
    Category(name="face", keypoints="face-106"),
    Category(name="thing", keypoints=None),
    Category(name="angel"),
)
"""A category of each kind: by default, of both other schemes, without keypoints, and by default but no person."""


def plain(*names: str) -> tuple[CocoCategory, ...]:
    """Categories of which a recipe gives the name alone."""
    return resolve_categories([Category(name=name) for name in names])
