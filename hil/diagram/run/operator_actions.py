"""A person's acts without a window: what is pressed and set at which times, as changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from hil.config.errors import ConfigError
from hil.config.similar_names import nearest
from hil.diagram.file.model import DiagramFile, DrawnBlock
from hil.diagram.file.subdiagram import inside
from hil.diagram.run.change import DiagramChange
from sim.toml_reader import TomlReadError, read_value

SET: Final = {"PanelSlider": "value", "PanelSwitch": "on"}
"""Kind of block → parameter that a person sets."""
PRESSED: Final = "PanelButton"

Timed = tuple[float, DiagramChange]
"""When [s], and what."""


def operated(file: DiagramFile, pressed: Sequence[str], slid: Sequence[str]) -> list[Timed]:
    """Changes of a diagram by its panel blocks, in order of their times.

    Args:
        pressed: ``NAME@S`` each, the name or path of a `PanelButton`.
        slid: ``NAME=VALUE@S`` each, of a `PanelSlider` or `PanelSwitch`.

    Raises:
        ConfigError: with a line for each that is none.
    """
    found: list[Timed] = []
    problems: list[str] = []
    counts: dict[str, int] = {}
    for text in sorted(pressed, key=_time_of):
        try:
            name, at_s = _timed(text)
            block = _block(file, name, (PRESSED,))
        except (ValueError, LookupError) as error:
            problems.append(f"--press {text[:60]!r}: {error}")
            continue
        before = counts.get(name, int(block.parameters.get("presses", 0)))
        counts[name] = before + 1
        found.append((at_s, DiagramChange({f"{name}.presses": before + 1})))
    for text in slid:
        try:
            name, at_s, value = _valued(text)
            block = _block(file, name, tuple(SET))
        except (ValueError, LookupError) as error:
            problems.append(f"--slide {text[:60]!r}: {error}")
            continue
        found.append((at_s, DiagramChange({f"{name}.{SET[block.kind]}": value})))
    if problems:
        raise ConfigError("command line", problems)
    return sorted(found, key=lambda one: one[0])


def _timed(text: str) -> tuple[str, float]:
    name, at, when = text.rpartition("@")
    time_s = _seconds(when)
    if not at or not name or time_s is None:
        raise ValueError("write it as NAME@SECONDS")
    return name.strip(), time_s


def _time_of(text: str) -> float:
    return _seconds(text.rpartition("@")[2]) or 0.0


def _seconds(text: str) -> float | None:
    try:
        time_s = float(text)
    except ValueError:
        return None
    return time_s if 0.0 <= time_s < math.inf else None


def _valued(text: str) -> tuple[str, float, Any]:
    name, equals, rest = text.partition("=")
    value, at, when = rest.rpartition("@")
    time_s = _seconds(when)
    if not equals or not at or time_s is None:
        raise ValueError("write it as NAME=VALUE@SECONDS")
    try:
        return name.strip(), time_s, read_value(value)
    except TomlReadError:
        raise ValueError(f"{value[:40]!r} is no number, true or false") from None


def _block(file: DiagramFile, path: str, kinds: tuple[str, ...]) -> DrawnBlock:
    """A panel block by its path."""
    around, _, name = path.rpartition("/")
    diagram = inside(file, around)
    block = diagram.blocks.get(name)
    if block is None or block.kind not in kinds:
        known = [one for one, found in diagram.blocks.items() if found.kind in kinds]
        there = f"there are {', '.join(known)}" if known else "there is none"
        words = " or ".join(kinds)
        raise ValueError(f"no {words} {name[:40]!r}{nearest(name, known)} ({there})")
    return block
