"""Lines of JSON that a helper of the panel writes: results, and how far it is."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import orjson


def write_line(what: Mapping[str, Any]) -> None:
    """Write a line to standard output at once."""
    sys.stdout.buffer.write(orjson.dumps(what) + b"\n")
    sys.stdout.buffer.flush()


def share_reporter(step: float) -> Callable[[float], None]:
    """Return a reporter of the share that is done, not more often than by a step."""
    last_share = 0.0

    def report(share: float) -> None:
        nonlocal last_share
        if share >= last_share + step:
            last_share = share
            write_line({"share": share})

    return report
