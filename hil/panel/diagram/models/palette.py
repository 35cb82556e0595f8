"""The kinds of blocks to choose from, by group, and by what is typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hil.diagram.check.seam import DiagramEnds
from hil.diagram.file.model import IN, OUT, SUB, DiagramFile
from hil.diagram.library.registry import faces, kinds
from hil.panel.diagram.models.names import HUMPS

OWN_GROUP: Final = "sub-diagrams"
SIGNALS: Final = "signals"
SETPOINTS: Final = "setpoints"
"""Groups of what a station offers and takes."""
TYPED_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class BlockOffer:
    """A kind of block that may be placed."""

    name: str
    group: str
    about: str
    equation: str = ""
    of: str = ""
    """Name of the sub-diagram; empty for a kind."""
    face: str = ""
    """`In` or `Out`, if it is a signal or a setpoint of a station."""
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Parameters that are given with it."""

    @property
    def kind(self) -> str:
        """Kind as a block's line has it."""
        return SUB if self.of else self.face or self.name

    @property
    def block(self) -> str:
        """Name of the block; empty for a name that is made of its kind."""
        return self.name if self.face else ""


def station_offers(ends: DiagramEnds) -> Iterator[BlockOffer]:
    """Signals and setpoints of a station, each as the face that carries it."""
    for group, face, pieces in ((SIGNALS, IN, ends.offered), (SETPOINTS, OUT, ends.accepted)):
        for one in pieces:
            given = {"unit": one.diagram_unit, "shape": one.shape, "type": "real"}
            given |= {"frame": one.frame} if one.frame else {}
            yield BlockOffer(one.name, group, one.words, face=face, parameters=given)


class Palette:
    """All kinds, the sub-diagrams of a file and its libraries, and what a station offers.

    Args:
        ends: of the station that the diagram is for; None if none is known.
    """

    def __init__(self, file: DiagramFile, ends: DiagramEnds | None = None) -> None:
        self.offers: tuple[BlockOffer, ...] = (
            *(() if ends is None else station_offers(ends)),
            *(BlockOffer(name, OWN_GROUP, sub.note, of=name)
              for name, sub in sorted({**file.foreign, **file.subs}.items())),
            *(BlockOffer(one.name, one.group, one.about, one.equation)
              for one in (*faces().values(), *kinds().values())),
        )  # fmt: skip

    def groups(self) -> dict[str, list[BlockOffer]]:
        """Offers of each group, in order."""
        found: dict[str, list[BlockOffer]] = {}
        for one in self.offers:
            found.setdefault(one.group, []).append(one)
        return found

    def search(self, typed: str) -> list[BlockOffer]:
        """Return what fits, best first: names before words about them; all of them for nothing."""
        words = typed[:TYPED_MOST].split()
        if not words:
            return list(self.offers)
        ranked = []
        for one in self.offers:
            ranks = [_rank(one, word.lower()) for word in words]
            if None not in ranks:
                ranked.append((sum(rank or 0 for rank in ranks), len(one.name), one.name, one))
        return [one for *_, one in sorted(ranked, key=lambda item: item[:3])]


def _rank(one: BlockOffer, word: str) -> int | None:
    """Rank how well one word fits, 0 best; None if it does not."""
    name = one.name.lower()
    humps = [hump.lower() for hump in HUMPS.findall(one.name)]
    if name == word:
        return 0
    if name.startswith(word):
        return 1
    if any(hump.startswith(word) for hump in humps):
        return 2
    if word == "".join(hump[0] for hump in humps):
        return 3
    if _initials(word, humps):
        return 4
    if word in name:
        return 5
    if any(
        part.startswith(word) for part in re.findall(r"\w+", f"{one.group} {one.about}".lower())
    ):
        return 6
    return 7 if word in f"{one.group} {one.about}".lower() else None


def _initials(word: str, humps: list[str]) -> bool:
    """Whether a word is made of beginnings of the humps, in order: ``ratetr``, ``rt``."""
    if not word:
        return True
    return any(
        word.startswith(hump[:length]) and _initials(word[length:], humps[number + 1 :])
        for number, hump in enumerate(humps)
        for length in range(len(hump), 0, -1)
    )
