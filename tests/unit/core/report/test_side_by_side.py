"""Two pictures beside each other: all texts are text."""

from tasks.core.report.side_by_side import cut, figure, sides
from tasks.core.report.thumbnails import Thumbnail


def test_texts_are_escaped_and_cut():
    assert cut("<b>") == "<bdi>&lt;b&gt;</bdi>"
    assert cut("x" * 301) == f"<bdi>{'x' * 300}…</bdi>"
    assert cut(None) == "nothing"


def test_a_figure_with_a_picture_and_one_without():
    shown = figure(Thumbnail("data:image/jpeg;base64,YWJj", 4, 3), "before", "<train>")
    assert "viewBox='0 0 4 3'" in shown
    assert "<figcaption><bdi>before</bdi>: <bdi>&lt;train&gt;</bdi></figcaption>" in shown
    assert "no picture" in figure(None, "a & b", None)
    assert "<figcaption><bdi>a &amp; b</bdi></figcaption>" in figure(None, "a & b", None)
    assert sides("x", "y") == "<div class=sides>xy</div>"
