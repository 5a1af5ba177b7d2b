"""Tags of a page that say no to training."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.scrape.page_opt_outs import page_opt_out


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("", id="empty"),
        pytest.param("noai", id="no-tag"),
        pytest.param("<meta>", id="no-attributes"),
        pytest.param("<meta name=robots>", id="no-content"),
        pytest.param("<meta content=noai>", id="no-name"),
        pytest.param("<meta name=robots content=''>", id="empty-content"),
        pytest.param("<meta name=robots content='noindex, nofollow, noimageindex'>", id="other-directives"),
        pytest.param("<meta name=otherbot content=noai>", id="another-robot"),
        pytest.param("<meta name=description content=noai>", id="a-description"),
        pytest.param("<meta name=robots content='otherbot: noai'>", id="another-robot-in-the-content"),
        pytest.param("<!-- <meta name=robots content=noai> -->", id="comment"),
        pytest.param("<script>'<meta name=robots content=noai>'</script>", id="script"),
        pytest.param("&lt;meta name=robots content=noai&gt;", id="text"),
        pytest.param("<p name=robots content=noai>", id="another-element"),
        pytest.param("<meta name=tdm-reservation content=0>", id="not-reserved"),
        pytest.param("<meta name=tdm-reservation content=2>", id="no-such-reservation"),
        pytest.param("<meta name=tdm-policy content='https://a.example/p'>", id="a-policy-alone"),
        pytest.param("<meta name=content-usage content='train-ai=y, search=n'>", id="other-uses"),
    ],
)
def test_pages_that_say_nothing(html):
    assert page_opt_out(html) is None


@pytest.mark.parametrize(
    ("html", "detail"),
    [
        ('<meta name="robots" content="noai, noimageai">', "meta robots: noai"),
        ('<META NAME=" Robots " CONTENT="NOINDEX,NoImageAI">', "meta robots: noimageai"),
        ("<meta content='no&#97;i' name=bilderatlas />", "meta robots: noai"),
        ("<meta http-equiv=X-Robots-Tag content=noai>", "meta robots: noai"),
        ("<body><p><meta name=robots content=noai", "meta robots: noai"),
        ('<meta name="tdm-reservation" content="1">', "meta tdm-reservation: 1"),
        (
            '<meta name="tdm-policy" content="https://a.example/p"><meta name="tdm-reservation" content="1">',
            "meta tdm-reservation: 1, policy https://a.example/p",
        ),
        ("<meta name=Content-Usage content='train-ai=n'>", "meta Content-Usage: train-ai=n"),
        ("<meta http-equiv=content-signal content='search=yes, ai-train=no'>", "meta Content-Signal: ai-train=no"),
        ("<meta name=robots content=all><meta name=tdm-reservation content=1>", "meta tdm-reservation: 1"),
        ("<meta name=robots content=all><meta name=robots content=noai>", "meta robots: noai"),
    ],
)
def test_pages_that_opt_out(html, detail):
    assert page_opt_out(html) == detail


@given(st.text(alphabet="<>/!-='\" metanrobsci&;", max_size=80) | st.text())
def test_any_text_is_a_page(html):
    assert isinstance(page_opt_out(html), str | None)


def test_a_long_page_takes_no_time():
    assert page_opt_out("<meta name=robots content='noai " + "noa,i;" * 300_000) is None
    assert page_opt_out("noai" + "<meta " * 50_000) is None
