"""A page of pictures in rows."""

from tasks.core.evaluate.picture_page import picture_page


def test_rows_with_their_pictures_and_captions_whatever_a_name_holds():
    rows = [("Ada <i>", [(b"\xff\xd8jpeg", "1 missed"), (None, "not there")])]
    page = picture_page("Where & when", "Blue: all.", rows)
    assert page.startswith("<!doctype html>")
    assert "<title>Where &amp; when</title>" in page
    assert "<p>Ada &lt;i&gt;</p>" in page
    assert 'src="data:image/jpeg;base64,/9hqcGVn"><figcaption>1 missed</figcaption>' in page
    assert "(no picture)<figcaption>not there</figcaption>" in page


def test_without_a_row_it_says_so():
    assert "There is nothing to show." in picture_page("a", "b", [])
