"""contract: two versions of a contract beside each other."""

from typing import NamedTuple

from schemas.phrases import counted, quoted
from tasks.core.contract import changes, is_allowed
from tasks.io.files import contracts


class ContractComparison(NamedTuple):
    """What has changed, as a text for people; is_allowed: whether the version's number says so."""

    text: str
    is_allowed: bool


def compare(old: str, new: str) -> ContractComparison:
    """Compare contracts that lie as files, in folders, or in releases. Raises BadInput where there is none."""
    before, after = contracts.read(old), contracts.read(new)
    old_version, new_version = (next(iter(of.values())).version for of in (before, after))
    found = sorted(changes(before, after), key=lambda change: not change.is_breaking)
    is_right = is_allowed(old_version, new_version, found)
    lines = [f"{'breaks' if change.is_breaking else 'ok':>6}  {change.sentence}" for change in found]
    breaking = sum(change.is_breaking for change in found)
    broken = f"{counted(breaking, 'change')} {'breaks' if breaking == 1 else 'break'} readers"
    versions = f"{quoted(old_version)} to {quoted(new_version)}"
    if not found:
        end = "nothing that readers go by has changed"
    elif not breaking:
        end = "readers of the old contract can read by it as before"
    elif is_right:
        end = f"{broken}, as a new major version may"
    else:
        end = f"expected a new major version, since {broken}, got none"
    return ContractComparison("\n".join([*lines, f"{versions}: {end}"]), is_right)
