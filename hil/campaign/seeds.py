"""The seeds of a campaign as a person writes them: `0:100`, `7`, `0:10,1000:1100`."""

from __future__ import annotations

import re
from typing import Final

from hil.config.errors import ConfigError
from hil.draw.numbers import SEED_MAX

MOST: Final = 1_000_000
"""Runs of a campaign at most."""
_RANGE: Final = re.compile(r"(\d{1,10})(?::(\d{1,10}))?")
FORM: Final = "write FIRST:END (END is left out), single numbers, or both with commas between"


def read_seeds(text: str, source: str = "--seeds") -> tuple[int, ...]:
    """Seeds of a text, each once, in order.

    Raises:
        ConfigError: if there is none, a range is reversed, or one is too large.
    """
    found = set[int]()
    for part in text.replace(" ", "").split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ConfigError(source, [f"{text!r:.80}: {part!r:.40} is no range of seeds; {FORM}"])
        first = int(match[1])
        end = first + 1 if match[2] is None else int(match[2])
        if end <= first:
            what = "is reversed" if end < first else "holds no seed"
            raise ConfigError(source, [f"{text!r:.80}: {part} {what}; FIRST must be below END"])
        if end - 1 > SEED_MAX or len(found) + end - first > MOST:
            line = f"{part}: seeds go up to {SEED_MAX}, {MOST} of them at most"
            raise ConfigError(source, [f"{text!r:.80}: {line}; make several campaigns"])
        found.update(range(first, end))
    return tuple(sorted(found))


def seeds_text(seeds: tuple[int, ...]) -> str:
    """Text that `read_seeds` reads as these seeds, which are in order."""
    parts, begin = list[str](), 0
    for at in range(1, len(seeds) + 1):
        if at == len(seeds) or seeds[at] != seeds[at - 1] + 1:
            first, last = seeds[begin], seeds[at - 1]
            parts.append(f"{first}" if first == last else f"{first}:{last + 1}")
            begin = at
    return ",".join(parts)
