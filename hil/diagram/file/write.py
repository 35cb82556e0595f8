"""A diagram's file as text: sorted, with a line for each block and each wire.

So a difference of two versions reads as the change of the law.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from hil.config.files import write_whole
from hil.config.toml_text import toml_value
from hil.diagram.file.model import Diagram, DiagramFile, DiagramParameter, DrawnBlock

FORMAT: Final = 1
"""Version of the file."""
_BLOCK_KEYS: Final = tuple(
    one.name for one in fields(DrawnBlock) if one.name not in ("kind", "parameters")
)


def text_of(file: DiagramFile) -> str:
    """Return the canonical text of a file; reading it gives the same diagram."""
    lines = [f"format = {FORMAT}", f"base_s = {file.base_s!r}"]
    if file.seed:
        lines.append(f"seed = {file.seed}")
    if file.libraries:
        lines.append(f"library = {toml_value(list(file.libraries))}")
    for name, diagram in file.own():
        lines.extend(_diagram_lines(f"sub.{name}." if name else "", diagram))
    return "\n".join(lines) + "\n"


def save(file: DiagramFile, path: Path) -> None:
    """Write a file whole, or not at all."""
    write_whole(path, text_of(file).encode(), sync=True)


def _diagram_lines(place: str, diagram: Diagram) -> Iterator[str]:
    if place:
        yield f"\n[{place[:-1]}]"
    if diagram.note:
        yield f"note = {toml_value(diagram.note)}"
    yield from _section(f"{place}parameter", diagram.parameters, _parameter)
    yield from _section(f"{place}block", diagram.blocks, _block)
    yield from _section(f"{place}wire", diagram.wires, toml_value)
    yield from _section(f"{place}place", diagram.places, lambda one: toml_value(list(one)))


def _section(heading: str, entries: Mapping[str, Any], text: Any) -> Iterator[str]:
    if entries:
        yield f"\n[{heading}]"
        yield from (f"{toml_value(name)} = {text(entries[name])}" for name in sorted(entries))


def _parameter(one: DiagramParameter) -> str:
    table = {"value": one.value, "low": one.low, "high": one.high}
    table |= {"unit": one.unit if one.unit != "1" else None, "note": one.note or None}
    return toml_value({key: value for key, value in table.items() if value is not None})


def _block(one: DrawnBlock) -> str:
    plain = DrawnBlock("")
    table: dict[str, Any] = {"kind": one.kind}
    table |= {key: one.parameters[key] for key in sorted(one.parameters)}
    for key in _BLOCK_KEYS:
        if getattr(one, key) != getattr(plain, key):
            table[key] = getattr(one, key)
    return toml_value(table)
