from schemas.phrases import and_more, counted, listed, quoted


def test_a_list_says_how_many_it_leaves_out():
    assert listed([], 2) == ""
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert and_more(1234) == " and 1,234 more"
    assert and_more(0) == and_more(-1) == ""


def test_nouns_follow_their_number():
    assert [counted(count, "record") for count in (0, 1, 1000)] == ["0 records", "1 record", "1,000 records"]
    assert counted(2, "copy", "copies") == "2 copies"


def test_quotes_are_one_short_line():
    assert quoted("a\nb") == r"'a\nb'"
    assert quoted("x" * 81) == repr("x" * 80 + "...")
