"""Map and proof of a machine in a process of its own; a poll reads a bounded part of its news."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from hil.panel.scenarios.models.launch_child import Child
from hil.run.workspace import MOST_ITEMS, WorkspaceMap, WorkspaceProof

HELPER: Final = ("-m", "hil.panel.scenarios.models.workspace_helper")
POINTS: Final = 60
"""Cells of a map along each coordinate, as many as `hil platform map` has."""
PROOF_S: Final = 60.0
"""Longest time of a proof [s]."""
LINE_MAX: Final = 4 << 20
"""Bytes of the longest report."""
REPORTS_AT_ONCE: Final = 4
"""Most reports that one poll reads."""


@dataclass(frozen=True, slots=True)
class WorkspaceParts:
    """Parts that are to be computed."""

    quantity: str
    """Quantity of the map; empty: the first that there is."""
    map: bool
    proof: bool


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceNews:
    """News of one poll; what is None is not new."""

    quantities: tuple[str, ...] | None = None
    map: WorkspaceMap | str | None = None
    """The map, or why there is none."""
    proof: WorkspaceProof | str | None = None
    """The proof, or why there is none."""


class WorkspaceRun:
    """A map, a proof or both, in the background.

    Args:
        path: present or later path of the machine's file.
        table: what is in the file, or will be.
    """

    def __init__(self, path: Path, table: Mapping[str, Any], parts: WorkspaceParts) -> None:
        self.parts = parts
        points, most_s = POINTS if parts.map else 0, PROOF_S if parts.proof else 0.0
        arguments = [*HELPER, str(path), parts.quantity, str(points), str(most_s)]
        self._child = Child(arguments, given=orjson.dumps(table))
        self._read = 0
        self._missing = {name for name in ("map", "proof") if getattr(parts, name)}
        self.share = 0.0
        """Share of the map that is done, 0 to 1."""
        self.proving = False
        """Whether the proof has begun."""

    @property
    def done(self) -> bool:
        """Whether all parts have arrived, or their errors."""
        return not self._missing

    def poll(self) -> WorkspaceNews:
        """Read what is new."""
        news: dict[str, Any] = {}
        ended = self._child.status is not None
        output = self._child.read_output(self._read)
        *lines, rest = output.split(b"\n", REPORTS_AT_ONCE)
        for line in lines:
            self._read += len(line) + 1
            self._take(line, news)
        if len(rest) > LINE_MAX:
            self._fail("a report of it is too long", news)
        elif ended and not lines:
            self._fail(self._child.why() or "?", news)
        return WorkspaceNews(**news)

    def _take(self, line: bytes, news: dict[str, Any]) -> None:
        try:
            known = _mapping(orjson.loads(line))
            if "quantities" in known:
                news["quantities"] = _names(known["quantities"])
            self.share = min(max(float(known.get("share", self.share)), 0.0), 1.0)
            self.proving = self.proving or known.get("begun") == "proof"
            if "map" in known:
                news["map"] = WorkspaceMap.from_mapping(_mapping(known["map"]))
            if "proof" in known:
                news["proof"] = WorkspaceProof.from_mapping(_mapping(known["proof"]))
            for name in ("map", "proof"):
                if f"{name}_error" in known:
                    news[name] = str(known[f"{name}_error"])
        except (KeyError, TypeError, ValueError) as error:
            self._fail(f"a report of it cannot be read: {error}", news)
        self._missing -= news.keys()

    def _fail(self, why: str, news: dict[str, Any]) -> None:
        """Say of each part that is missing why it does not come."""
        news |= dict.fromkeys(self._missing - news.keys(), why)
        self._missing.clear()

    def end(self) -> None:
        """End it."""
        self._child.end()


def _mapping(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ValueError("no table")
    return raw


def _names(raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or len(raw) > MOST_ITEMS:
        raise ValueError("no list of names")
    return tuple(map(str, raw))
