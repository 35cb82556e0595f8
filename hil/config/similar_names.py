"""Names like one that is unknown, offered in the words that refuse it."""

import difflib
from collections.abc import Iterable
from typing import Final

NAMES_MOST: Final = 300
"""Most names that are compared: of more, those of the same first letter before others."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Words that offer the names most like one; empty if none is."""
    lower = {one.lower(): one for one in known if len(one) <= 200}
    if len(lower) > NAMES_MOST:
        first = name[:1].lower()
        likely = sorted(lower, key=lambda one: one[:1] != first)[:NAMES_MOST]
        lower = {one: lower[one] for one in likely}
    close = difflib.get_close_matches(name[:80].lower(), lower, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(lower[one] for one in close)}?" if close else ""
