"""The settings and the table of raters' evaluation: each says what it is."""

from schemas.evaluate_figures import RATINGS, RaterSettings


def test_every_setting_and_every_column_has_a_description():
    assert all(field.description for field in RaterSettings.model_fields.values())
    assert all(field.metadata[b"description"] for field in RATINGS)


def test_the_papers_own_way_is_the_default():
    assert (RaterSettings().consensus, RaterSettings().iou) == ("kmeans", 0.5)
