"""The errors that end a run. A bad row never does: it becomes a drop with a reason (schemas.reasons)."""


class BadInput(Exception):
    """What a person gave can't be used: a recipe, a binding, a store. One sentence; exit status 2."""


class Refusal(Exception):
    """A gate said no: nothing was published, or, since somebody is at work in the store, removed. Exit status 3."""


class Overtaken(Refusal):
    """Another build has published since this one chose what it goes on from. Whoever runs it begins again."""


class BrokenPromise(Exception):
    """Something that the program or its store promises does not hold ("expected ... got ..."). Exit status 1."""


class DamagedFile(BrokenPromise):
    """A stored table or blob is gone or is not what its digest says. Whoever asked computes or fetches it again."""


class WorkToDo(Exception):
    """A run that may only use what is stored needs something else. Whoever began it runs it with Prefect."""


_SERVICES = {"botocore", "aiobotocore", "aiohttp", "gcsfs", "google", "azure"}


def is_service_error(problem: object) -> bool:
    """Whether a library of a storage service has raised it: their errors are no OSErrors.

    >>> is_service_error(OSError("no such file"))
    False
    """
    return isinstance(problem, Exception) and type(problem).__module__.partition(".")[0] in _SERVICES
