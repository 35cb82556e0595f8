"""The panel blocks of a run's diagram: their page, what is asked there, and what they show."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.named_files import EmbeddedPath
from hil.diagram.check.whole_text import whole_text
from hil.diagram.file.model import DiagramFile, DrawnBlock
from hil.diagram.file.read import read_text
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.live import Version
from hil.diagram.run.operator_actions import PRESSED, SET
from hil.diagram.run.panel_blocks import SHOWN, PanelBlock, blocks_of, panel_blocks, parameters_of
from hil.diagram.run.state_names import state_names
from hil.recording.signals import Signal
from hil.run.pages import (
    Page,
    PageButton,
    PageFlag,
    PageNumber,
    PageSlider,
    PageSwitch,
    PageWidget,
)

if TYPE_CHECKING:
    from hil.desk.velocity.panel_operator import PanelOperator
    from hil.diagram.run.engine import Engine

KIND: Final = "diagram"
"""Kind of the table that panels send."""
PANEL: Final = "panel"
"""Source of a change that was asked for there."""
ORDER: Final = (PRESSED, "PanelSwitch", "PanelSlider", *SHOWN)
"""Kinds of blocks from the top of a page: what is asked stands above what is shown."""
SLIDER_STEPS: Final = 200
ASKED_KEYS: Final = frozenset({"kind", "set", "presses"})


def table_of(version: Version, text: str) -> dict[str, Any]:
    """Return a diagram as the header of a run keeps it, with what it takes from other files.

    Args:
        text: of its file.
    """
    return {
        "diagram": whole_text(version.file, text), "diagram_file": str(version.file.path),
        "diagram_set": version.given,
    }  # fmt: skip


def version_from_table(table: Mapping[str, Any]) -> Version:
    """Read the version from a header.

    Raises:
        KeyError: if it has none.
        ConfigError: with a line for each fault.
    """
    file = read_text(table["diagram"], EmbeddedPath(table["diagram_file"]))
    return Version.of(file, DiagramChange(table["diagram_set"]).changes, models=True)


def pages(table: Mapping[str, Any]) -> tuple[Page, ...]:
    """Make the diagram's page of a run's header; none without a diagram or panel blocks."""
    if "diagram_set" not in table:
        return ()
    file = read_text(table["diagram"], EmbeddedPath(table["diagram_file"]))
    given = table["diagram_set"]
    found = blocks_of(file, ORDER)
    found.sort(key=lambda one: ORDER.index(one[1].kind))
    widgets = [_widget(file, path, block, given) for path, block in found]
    if not widgets:
        return ()
    return (Page(title="Diagram", widgets=tuple(widgets), asks={"kind": KIND}),)


def _widget(
    file: DiagramFile, path: str, block: DrawnBlock, given: Mapping[str, Any]
) -> PageWidget:
    one = PanelBlock(path, block.kind, None, parameters_of(block))
    p = one.parameters
    match block.kind:
        case "PanelSlider":
            low, high = float(p["low"]), float(p["high"])
            return PageSlider(
                label=one.label, key=f"set.{path}", low=low, high=high,
                step=(high - low) / SLIDER_STEPS, value=given.get(f"{path}.value", p["value"]),
                unit=one.unit if one.unit != "1" else "",
            )  # fmt: skip
        case "PanelSwitch":
            on = bool(given.get(f"{path}.on", p["on"]))
            return PageSwitch(label=one.label, key=f"set.{path}", on=on)
        case "PanelButton":
            return PageButton(label=one.label, counts=f"presses.{path}")
        case "PanelNumber":
            names = state_names(file, path)
            return PageNumber(label=one.label, column=column(path), digits=p["digits"], names=names)
        case "PanelText":
            return PageFlag(label=one.label, column=column(path), on=p["on"], off=p["off"])
        case _:
            return PageFlag(label=one.label, column=column(path))


def column(path: str) -> str:
    """Return the name of the column of a block that shows something."""
    return f"panel_{path.replace('/', '_')}"


def paths_of_displays(file: DiagramFile) -> tuple[str, ...]:
    """Return the paths of the blocks that show something, in the order of their columns."""
    return tuple(path for path, _ in blocks_of(file, SHOWN))


def places_of_displays(engine: Engine, paths: Sequence[str]) -> NDArray[np.intp]:
    """Find the numbers of some such blocks in an engine; -1 for one that is not there."""

    def place(path: str) -> int:
        try:
            return engine.place(path, "u").start
        except KeyError:  # of a diagram that was put in the first one's place
            return -1

    return np.array([place(path) for path in paths], np.intp)


def signals_of_displays(file: DiagramFile) -> Iterator[Signal]:
    """Yield the signals of such blocks in a row."""
    for path in paths_of_displays(file):
        yield Signal(column(path), "f8")


def change_of_table(version: Version, table: object) -> DiagramChange:
    """Make the change of a version that a requested table sets.

    Args:
        table: as JSON gives it, a table or not.

    Raises:
        ConfigError: With what is wrong with it.
    """
    problems: list[str] = []
    if not isinstance(table, Mapping):
        raise ConfigError("asked", [f"{table!r:.40}: a table with kind = {KIND!r} is needed"])
    if table.get("kind") != KIND or set(table) - ASKED_KEYS:
        problems.append(f"kind = {KIND!r} and the tables set and presses are needed")
    blocks = {one.path: one for one in panel_blocks(version)}
    asked: dict[str, Any] = {}
    for name, pressed in (("set", False), ("presses", True)):
        values = table.get(name, {})
        for path, value in values.items() if isinstance(values, Mapping) else ():
            one = blocks.get(path)
            if one is None or (one.kind == PRESSED) != pressed:
                known = ", ".join(sorted(p for p, b in blocks.items()
                                         if (b.kind == PRESSED) == pressed)) or "none"  # fmt: skip
                problems.append(f"{name}.{path[:60]}: no such panel block; there are {known}")
            elif pressed and not (type(value) is int and value >= 0):
                problems.append(f"presses.{path} = {value!r:.40}: a whole number is needed")
            elif pressed:
                begun = int(one.parameters["presses"])
                asked[f"{path}.presses"] = begun + value
            else:
                asked[f"{path}.{SET[one.kind]}"] = value
    if problems:
        raise ConfigError("asked", problems)
    return DiagramChange(asked, source=PANEL)


class PanelInbox:
    """Requests of panels to the diagram of a run, one after another.

    A table has everything that a page shows; what nobody has moved from where the run began is left
    to whoever else changes it.

    Args:
        version: of the diagram as the run begins.
    """

    def __init__(self, version: Version) -> None:
        self._version = version
        self._asked: deque[bytes] = deque()
        self._moved: set[str] = set()

    def take(self, table: bytes) -> None:
        """Take a table that the desk has proved."""
        self._asked.append(table)

    def next(self) -> DiagramChange | None:
        """Return the next change; None if there is none."""
        while self._asked:
            try:
                change = change_of_table(self._version, json.loads(self._asked.popleft()))
            except (ValueError, RecursionError, ConfigError):
                continue  # proved, and so of another desk's making
            for (path, name), value in change.changes.items():
                if value != self._version.value(path, name):
                    self._moved.add(f"{path}.{name}")
            moved = {name: one for name, one in change.set.items() if name in self._moved}
            if moved:
                return replace(change, set=moved)
        return None


def refusals_to(led: PanelOperator) -> Callable[[DiagramChange, str], None]:
    """Publish to panels why a run has not taken their request, such as a jump."""

    def take(change: DiagramChange, why: str) -> None:
        if change.source == PANEL:
            led.refuse_table(why)

    return take


def changes_from_panel_or_file(
    version: Version, led: PanelOperator, saved: Callable[[], DiagramChange | None] | None
) -> Callable[[], DiagramChange | None]:
    """Merge the changes that panels request with those of other sources.

    Args:
        version: of the diagram as the run begins.
    """
    inbox = PanelInbox(version)
    led.take_table = inbox.take
    return lambda: inbox.next() or (None if saved is None else saved())
