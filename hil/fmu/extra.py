"""The extra ``fmu``, asked for where it is needed: the library that reads FMUs."""

from __future__ import annotations

from importlib.util import find_spec

from hil.config.errors import RefusedError

REMEDY = "pip install 'hil-bench[fmu]'"


def require_fmpy() -> None:
    """See that the library is there; it is not imported.

    Raises:
        RefusedError: naming the extra.
    """
    if find_spec("fmpy") is None:
        raise RefusedError(f"FMUs need the library fmpy, which is not installed: {REMEDY}")
