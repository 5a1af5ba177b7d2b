"""Lessons from tables of images and figures."""

import pyarrow as pa

from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.core.train import lessons


def test_lessons_keep_crowds_apart_and_cut_boxes_at_the_edges():
    images = pa.Table.from_pylist(
        [{"image_id": n, "sha256": "ab", "width_px": 50, "height_px": 40} for n in (1, 2)], schema=ANNOTATED_IMAGES
    )
    figures = pa.Table.from_pylist(
        [
            {"image_id": 1, "xywh_px": [-5, 10, 20, 20], "is_crowd": False, "area_px2": 400.0},
            {"image_id": 1, "xywh_px": [30, 30, 40, 40], "is_crowd": True, "area_px2": 1600.0},
            {"image_id": 1, "xywh_px": [60, 0, 4, 4], "is_crowd": False, "area_px2": 16.0},
        ],
        schema=ANNOTATED_FIGURES,
    )
    one, two = lessons.lessons_from_tables(images, figures)
    assert one.figures_xyxy_px.tolist() == [[0, 10, 15, 30]]
    assert one.crowds_xyxy_px.tolist() == [[30, 30, 50, 40]]
    assert two.figures_xyxy_px.shape == two.crowds_xyxy_px.shape == (0, 4)
    document = lessons.truth_document(images, figures, "person")
    assert [box["iscrowd"] for box in document["annotations"]] == [0, 1, 0]


def test_what_is_found_in_a_blob_is_found_in_each_image_that_has_it():
    images = pa.table({"image_id": [9, 4], "sha256": ["ab", "ab"]})
    figure = {"category": "person", "xywh_px": [0.0, 0.5, 8.0, 8.0], "score": 0.877}
    told = {"category_id": 1, "score": 0.877, "bbox": [0.0, 0.5, 8.0, 8.0]}
    assert lessons.detection_results(images, {"ab": [figure]}) == [{"image_id": 9, **told}, {"image_id": 4, **told}]
    assert lessons.detection_results(images, {"ab": []}) == []
