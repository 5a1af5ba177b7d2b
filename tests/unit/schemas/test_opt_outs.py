"""Values of opt-out signals, as headers, files and pages have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.opt_outs import (
    TRAINING_LABELS,
    OptOutSignal,
    header_opt_out,
    opt_out_directive,
    refusal_of_training,
    reserved,
    signal_of_detail,
    tdm_reservation,
)


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ([], None),
        ([""], None),
        (["noindex, nofollow, none"], None),
        (["noaindex"], None),
        (["noai"], "noai"),
        (["noindex,NOIMAGEAI"], "noimageai"),
        (["noindex; noai"], "noai"),
        (["noindex", "noai"], "noai"),
        (["bilderatlas: noai"], "noai"),
        (["*: noai"], "noai"),
        (["otherbot: noai"], None),
        (["otherbot: noindex, noai"], None),
        (["otherbot: noindex, bilderatlas: noai"], "noai"),
        (["noai, otherbot: noindex"], "noai"),
        (["max-image-preview: large, noai"], "noai"),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, noai"], "noai"),
        (["unavailable_after: Saturday, 25-Jun-30 15:00:00 UTC, noai"], "noai"),
        (["unavailable_after: 2030-06-25T15:00:00Z, noimageai"], "noimageai"),
    ],
)
def test_directives(tags, found):
    assert opt_out_directive(tags) == found


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        # nothing that says no to training
        ("", None),
        ("\x00\xff\ud800", None),
        ("n", None),
        ("train-ai", None),
        ("train-ai=", None),
        ("=n", None),
        ("train-ai=y, search=n, ai-use=n, ai-input=no", None),
        ("x-train-ai=n", None),
        ("train-ai-x=n", None),
        ("train-ai=none, train-ai=n/a, train-ai=n-, train-ai=n:1", None),
        ("train-ai=1, train-ai=?1, train-ai=:bg==:, train-ai=(n)", None),
        ("train-ai;allow=n, train-ai=y", None),  # draft-ietf-aipref-vocab, 6.5.2
        ('note="train-ai=n", train-ai=y', None),
        ('train-ai="n, of course"', None),
        # a no
        ("train-ai=n", "train-ai=n"),
        ("search=y,train-ai=n;p=1;q", "train-ai=n"),
        ("train-ai=n, train-ai=y", "train-ai=n"),
        ("train-ai=y, train-ai=n", "train-ai=n"),
        ("ai-train=no, search=yes, ai-input=yes", "ai-train=no"),
        # older labels
        ("tdm=n, ai=y", "tdm=n"),
        ("bots=n", "bots=n"),
        # broken
        ("TRAIN-AI=N", "train-ai=n"),
        ("train-ai = n", "train-ai=n"),
        ("train-ai=?0", "train-ai=?0"),
        ('train-ai="n"', "train-ai=n"),
        ('train-ai="n', "train-ai=n"),
        ('note="open, train-ai=n', "train-ai=n"),
        ("search=yes; ai-train=no", "ai-train=no"),
        ("search=yes ai-train=no", "ai-train=no"),
        (",,;=\xff(\x00 train-ai=n ((", "train-ai=n"),
    ],
)
def test_statements_of_preference(statement, found):
    assert refusal_of_training(statement) == found


@pytest.mark.parametrize("label", TRAINING_LABELS)
@pytest.mark.parametrize(("answer", "is_no"), [("n", True), ("no", True), ("y", False), ("yes", False), ("nn", False)])
def test_every_label_has_its_no(label, answer, is_no):
    assert (refusal_of_training(f"search=y, {label}={answer}") == f"{label}={answer}") is is_no


@given(st.text(max_size=80))
def test_any_text_is_a_statement(text):
    assert isinstance(refusal_of_training(text), str | None)
    assert opt_out_directive([text]) in {None, "noai", "noimageai"}
    assert tdm_reservation([text]) in {None, True, False}
    assert reserved([text]).startswith("1")


def test_a_long_statement_takes_no_time():
    assert refusal_of_training('"\\' * 500_000 + "train-ai =" + " " * 500_000) is None


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], None),
        ([""], None),
        (["2"], None),
        (["true"], None),
        (["1.0"], None),
        (["10"], None),
        (["0"], False),
        ([" 1 "], True),
        (["1, 1"], True),
        (["0", "1"], True),
        (["x, 0"], False),
    ],
)
def test_reservations(values, found):
    assert tdm_reservation(values) is found


@pytest.mark.parametrize(
    ("policies", "value"),
    [
        ([], "1"),
        ([None, 7, [], ""], "1"),
        (["http://a.example/p"], "1"),
        (["javascript:alert(1)"], "1"),
        (["https://a.example/p q"], "1"),
        (["https://a.example/\x1b[2J"], "1"),
        (["x", " https://a.example/p "], "1, policy https://a.example/p"),
        (["https://a.example/" + "p" * 500], f"1, policy https://a.example/{'p' * 102}..."),
    ],
)
def test_policies(policies, value):
    assert reserved(policies) == value


@pytest.mark.parametrize(
    ("headers", "detail"),
    [
        ([], None),
        ([("Content-Type", "image/jpeg"), ("Content-Usage", "train-ai=y"), ("tdm-reservation", "0")], None),
        ([("tdm-policy", "https://a.example/p")], None),
        ([("X-Robots-Tag", "noindex"), ("x-robots-tag", "noai")], "X-Robots-Tag: noai"),
        ([("Content-Usage", "train-ai=y"), ("Content-Usage", "train-ai=n")], "Content-Usage: train-ai=n"),
        (
            [
                ("Content-Usage", 'a="open'),
                ("Content-Usage", 'train-ai=n, b="'),
            ],
            "Content-Usage: train-ai=n",
        ),
        ([("Content-Signal", "search=yes, ai-train=no")], "Content-Signal: ai-train=no"),
        ([("TDM-Reservation", "1")], "TDM: 1"),
        (
            [("tdm-reservation", "1"), ("tdm-policy", "https://a.example/p.json")],
            "TDM: 1, policy https://a.example/p.json",
        ),
        ([("tdm-reservation", "0"), ("Content-Usage", "tdm=n")], "Content-Usage: tdm=n"),
    ],
)
def test_headers(headers, detail):
    def values_of(name: str) -> list[str]:
        return [value for given, value in headers if given.lower() == name.lower()]

    assert header_opt_out(values_of) == detail


@pytest.mark.parametrize("signal", list(OptOutSignal), ids=str)
def test_a_detail_tells_its_signal(signal):
    assert signal_of_detail(signal.detail("/a: b, policy https://a.example/")) is signal
    assert signal.meaning.endswith(".")
    assert "|" not in signal.meaning  # it stands in a Markdown table


@pytest.mark.parametrize("detail", [None, "", "noai", "tdm: 1", "Content-Usage-2: x", ": x"])
def test_other_details_have_no_signal(detail):
    assert signal_of_detail(detail) is None
