"""Names of files, and the one rule by which a name that a person or a table gives is looked up among them."""

import functools
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal

_FORMS: dict[Literal["NFC", "NFD"], str] = {"NFC": "composed letters", "NFD": "decomposed letters"}
_MIXED = "some composed and some decomposed letters"


def canonical_name(name: str) -> str:
    r"""The name in composed letters (Unicode NFC): equal for names that people can't tell from each other.

    >>> canonical_name("e\u0301te\u0301.jpg") == "\u00e9t\u00e9.jpg"
    True
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


class FileNames:
    """Names of files, or paths, looked up by one rule: exactly; else the one that is canonically equal, if just one is.

    macOS writes `é` as a letter and an accent, other systems and most tables as one letter; a copied file may have
    either. What differs in more than that, such as case, is another name.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Names may come twice."""
        self._names = frozenset(names)
        self._by_canonical: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(name for name in self._names if not name.isascii()):
            if (canonical := canonical_name(name)) != name:
                self._by_canonical[canonical].append(name)

    def __iter__(self) -> Iterator[str]:
        """The names, each once, in no order."""
        return iter(self._names)

    def find(self, name: str) -> str | None:
        r"""The file of that name; None if there is none, or several are canonically equal and none is exactly.

        >>> FileNames(["a.jpg", "e\u0301.jpg"]).find("\u00e9.jpg") == "e\u0301.jpg"
        True
        >>> FileNames(["a.jpg"]).find("A.jpg") is None
        True
        """
        if name in self._names:
            return name
        equal = self._equal(name)
        return equal[0] if len(equal) == 1 else None

    def why_absent(self, name: str) -> str:
        r"""In what names that are there differ from one that is not found; "" where none looks like it.

        >>> FileNames(["A.jpg"]).why_absent("a.jpg"), FileNames(["b.jpg"]).why_absent("a.jpg")
        ("; there is 'A.jpg', which differs in case", '')
        """
        equal = self._equal(name)
        if len(equal) > 1:
            forms = " and ".join(f"one in {form_of(other)}" for other in equal)
            return f"; it is in {form_of(name)}, and {len(equal)} files are called so but for that: {forms}"
        near = self._near.get(_folded(name), ())
        if len(near) != 1:
            actual = self.find(with_slashes(name)) if "\\" in name else None
            return "" if actual is None else f"; there is {actual!r}, with '/' between folders"
        return f"; there is {near[0]!r}, which differs in {difference(name, near[0])}"

    def _equal(self, name: str) -> list[str]:
        canonical = canonical_name(name)
        composed = [canonical] if canonical in self._names else []
        return [*composed, *self._by_canonical.get(canonical, ())]

    @functools.cached_property
    def _near(self) -> dict[str, list[str]]:
        """By what is left of a name without case and outer blanks, the names."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(self._names):
            found[_folded(name)].append(name)
        return found


def with_slashes(path: str) -> str:
    r"""A path that is written as on Windows, as it is written elsewhere.

    >>> with_slashes(".\\img\\a.jpg"), with_slashes("img/a.jpg")
    ('img/a.jpg', 'img/a.jpg')
    """
    return path.replace("\\", "/").removeprefix("./")


def form_of(name: str) -> str:
    r"""In which Unicode form a name is written, in words.

    >>> form_of("\u00e9"), form_of("e\u0301"), form_of("\u00e9e\u0301")
    ('composed letters', 'decomposed letters', 'some composed and some decomposed letters')
    """
    return next((words for form, words in _FORMS.items() if unicodedata.is_normalized(form, name)), _MIXED)


def difference(one: str, other: str) -> str:
    r"""In what two names differ that look alike: the form of their letters, case, blanks around a name.

    >>> difference("e\u0301", "\u00e9"), difference(" a/B.jpg", "a/b.JPG")
    ('the form of its letters', 'case and blanks around it')
    """
    canonical = canonical_name(one), canonical_name(other)
    if canonical[0] == canonical[1]:
        return "the form of its letters"
    one, other = (_stripped(name) for name in canonical)
    has_blanks = one.casefold() != canonical[0].casefold() or other != canonical[1]
    return " and ".join(["case"] * (one != other) + ["blanks around it"] * has_blanks)


def _stripped(name: str) -> str:
    return "/".join(part.strip() for part in name.split("/"))


def _folded(name: str) -> str:
    return canonical_name(_stripped(canonical_name(name)).casefold())
