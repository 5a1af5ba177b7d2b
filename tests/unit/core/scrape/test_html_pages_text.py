"""The words that a piece of HTML shows: of one language, of names where they are marked; on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.scrape.html_pages import text_of_html


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<![foo", "<![foo"),
        ("Ana <![foo[ Bel", "Ana"),
        ("<p>Ana<p>Bel<br>Cid</b></p></p>", "Ana Bel Cid"),
        ('<div style="display:NONE">x<p>y</div>Ana', "Ana"),
        ("<style>.a{}</style><script>1</script>Ana &amp; Bel&#39;s", "Ana & Bel's"),
        ('<span lang="de">Meer</span> <span lang="en">Sea</span> (1890)', "Sea (1890)"),
        ('<div lang="fr"><span class="language fr"><b>Français :</b></span> Mer</div><div lang="de">Meer</div>', "Mer"),
        (
            '<div class="vcard"><span class="fn">Ana Bel</span> (1840–1926) <span class="note">painter</span></div>',
            "Ana Bel",
        ),
        ("<table><tr><td>Ana</td><td>Bel</td></tr></table>", "Ana Bel"),
        ('<p lang="de">Meer</p><p lang="fr">Mer</p>', "Meer"),  # without English, the first
        ('<p lang="de"> </p><p lang="fr">Mer</p>', "Mer"),  # a language that says nothing is none
        ('<span lang="de">Meer</span> 1890', "Meer 1890"),
        ("<i>Ana</i>Bel", "AnaBel"),  # only blocks part words
        ("Ana<img src='x'>Bel", "Ana Bel"),
        ("</p></div>Ana", "Ana"),  # ends of what was never begun
        ('<a class="noprint">x</a><b class="boilerplate y">z</b>Ana', "Ana"),
        ("Ana" + " " * 20_000 + "Bel", "Ana"),  # no more is read than so much
        ("<!-- Bel -->Ana<?php 1 ?>", "Ana"),
        ("&#x110000; &nosuch; &lt;p&gt;", "\ufffd &nosuch; <p>"),
        ("  \n ", None),
        ("", None),
        (None, None),
    ],
)
def test_words_of_html(html, words):
    assert text_of_html(html) == words


@given(st.text(alphabet='<>!/[]ab &;#="-div', max_size=60) | st.text())
def test_any_text_gives_words_on_one_line(text):
    words = text_of_html(text)
    assert words is None or (words == " ".join(words.split()) and words)
