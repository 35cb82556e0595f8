"""Differences of the laws of two diagrams, apart from what was only moved, renamed or noted.

A block that bears another name is the same if kind, parameters and wires are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hil.config.toml_text import toml_value
from hil.diagram.file.model import IN, OUT, Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.registry import faces, kinds

_KEYS: Final = ("of", "rate", "offset", "run", "states", "outputs")
_FACES: Final = (IN, OUT)
Names = Mapping[str, str]
"""Names of blocks or sub-diagrams, before → after."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference of two diagrams."""

    place: str
    """Sub-diagram where it is; empty at the top."""
    what: str
    """block, wire, parameter, sub, base_s, seed, place or note."""
    name: str
    """Name of the block, parameter or sub-diagram; ``block.port`` of the wire's end."""
    key: str = ""
    """Attribute of the block or parameter that differs."""
    before: str | None = None
    """Value before; None if it was not there."""
    after: str | None = None
    """Value after; None if it is no longer there."""
    law: bool = True
    """Whether the law changes by it."""
    renamed: bool = False
    """Whether `before` and `after` are names of the same thing."""

    @property
    def words(self) -> str:
        """In one line, as a person reads it."""
        name = f"{self.place}: " if self.place else ""
        name += f"{self.what} {self.name}" if self.name else self.what
        name += f".{self.key}" if self.key else ""
        if self.renamed:
            return f"= {name}: is now {self.after}"
        if self.before is None:
            return f"+ {name} = {self.after}"
        if self.after is None:
            return f"- {name} = {self.before}"
        return f"~ {name}: {self.before} -> {self.after}"


def compare(before: DiagramFile, after: DiagramFile) -> list[Change]:
    """Return all differences, place by place; those that change the law have `law`."""
    old, new = before.subs_in_use(), after.subs_in_use()
    of = _renamed_subs(old, new)
    inside = {one: _Pair(old[one], new[of[one]], of, of[one]) for one in sorted(of)}
    ports = {of[one]: pair.faces() for one, pair in inside.items()}
    found = list(_values("", "base_s", before.base_s, after.base_s))
    found += _values("", "seed", before.seed, after.seed)
    found += _Pair(before.top, after.top, of, "").changes(ports)
    for one, pair in inside.items():
        if of[one] != one:
            found.append(Change("", "sub", one, "", one, of[one], law=False, renamed=True))
        found += pair.changes(ports)
    for one in sorted(old.keys() - of.keys()):
        found.append(Change("", "sub", one, "", _size(old[one]), None))
    for one in sorted(new.keys() - set(of.values())):
        found.append(Change("", "sub", one, "", None, _size(new[one])))
    return found


def _size(diagram: Diagram) -> str:
    return f"{len(diagram.blocks)} blocks, {len(diagram.wires)} wires"


def _renamed_subs(old: Mapping[str, Diagram], new: Mapping[str, Diagram]) -> dict[str, str]:
    """Find the sub-diagrams of both, by their names or by the same law under another name."""
    of = {one: one for one in old if one in new}
    found = True
    while found:  # a sub-diagram may use another that is renamed too
        found = False
        for one in sorted(old.keys() - of.keys()):
            for other in sorted(new.keys() - set(of.values())):
                pair = _Pair(old[one], new[other], of, other)
                if not any(change.law for change in pair.changes({})):
                    of[one], found = other, True
                    break
    return of


def _values(place: str, what: str, before: Any, after: Any, name: str = "", key: str = "",
            *, law: bool = True) -> Iterator[Change]:  # fmt: skip
    if not _same(before, after):
        first, then = (None if one is None else toml_value(_lists(one)) for one in (before, after))
        yield Change(place, what, name, key, first, then, law=law)


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; true and 1 are different."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _lists(value: Any) -> Any:
    return [_lists(one) for one in value] if isinstance(value, tuple) else value


def _content(block: DrawnBlock, of: Names) -> dict[str, Any]:
    """List a block's contents, with what its line leaves out; sub-diagrams by new names."""
    kind = kinds().get(block.kind) or faces().get(block.kind)
    plain = {} if kind is None else {one.name: one.default for one in kind.parameters}
    given = {**{name: value for name, value in plain.items() if value is not None},
             **block.parameters}  # fmt: skip
    keys = {key: getattr(block, key) for key in _KEYS}
    return {"kind": block.kind, **given, **keys, "of": of.get(block.of, block.of)}


class _Pair:
    """A diagram before and after.

    Args:
        of: Names of sub-diagrams.
        place: Name of the diagram itself, empty for the top.
    """

    def __init__(self, before: Diagram, after: Diagram, of: Names, place: str) -> None:
        self._before, self._after, self._place = before, after, place
        self._old = {name: _content(one, of) for name, one in before.blocks.items()}
        self._new = {name: _content(one, {}) for name, one in after.blocks.items()}
        self._names = {
            name: name for name, one in self._old.items()
            if name in self._new and one["kind"] == self._new[name]["kind"]
        }  # fmt: skip
        while self._match():
            pass
        left = set(self._new) - set(self._names.values())
        self._names |= {name: name for name in self._old.keys() - self._names.keys()
                        if name in left}  # fmt: skip

    def faces(self) -> dict[str, str]:
        """Return the names of the inputs and outputs that are called otherwise."""
        return {one: other for one, other in self._names.items()
                if one != other and self._old[one]["kind"] in _FACES}  # fmt: skip

    def _match(self) -> bool:
        """Find one renamed block, or more; those first that can be nothing else."""
        back = {new: old for old, new in self._names.items()}
        old = _signatures(self._old, self._before, {one: one for one in self._names})
        new = _signatures(self._new, self._after, back)
        alike = {one: names for one, names in old.items() if one in new}
        sure = {one: names for one, names in alike.items() if len(names) == len(new[one]) == 1}
        for one, names in (sure or dict(list(alike.items())[:1])).items():
            self._names[names[0]] = new[one][0]
        return bool(alike)

    def changes(self, ports: Mapping[str, Names]) -> Iterator[Change]:
        """Yield all differences.

        Args:
            ports: by new name of a sub-diagram: its inputs and outputs that are called otherwise.
        """
        yield from self._parameters()
        place, names = self._place, self._names
        for one in sorted(self._old.keys() - names.keys()):
            yield Change(place, "block", one, "", _line(self._before.blocks[one]), None)
        for one in sorted(self._new.keys() - set(names.values())):
            yield Change(place, "block", one, "", None, _line(self._after.blocks[one]))
        for one, other in sorted(names.items()):
            yield from self._block(one, other)
        yield from self._wires(ports)
        yield from _values(place, "note", self._before.note, self._after.note, law=False)

    def _block(self, one: str, other: str) -> Iterator[Change]:
        place, old, new = self._place, self._old[one], self._new[other]
        if one != other:
            # A name is part of the law where stations or seeds of noises go by it.
            law = "seed" in old or (old["kind"] in _FACES and not place)
            yield Change(place, "block", one, "", one, other, law=law, renamed=True)
        if old["kind"] != new["kind"]:
            lines = _line(self._before.blocks[one]), _line(self._after.blocks[other])
            yield Change(place, "block", other, "", *lines)
            old = new
        for key in sorted(old.keys() | new.keys()):
            yield from _values(place, "block", old.get(key), new.get(key), other, key)
        before, after = self._before.places.get(one), self._after.places.get(other)
        yield from _values(place, "place", before, after, other, law=False)
        notes = self._before.blocks[one].note, self._after.blocks[other].note
        yield from _values(place, "note", *notes, other, law=False)

    def _wires(self, ports: Mapping[str, Names]) -> Iterator[Change]:
        def end(text: str) -> str:
            name, _, port = text.partition(".")
            of = self._old[name]["of"] if name in self._old else ""
            return f"{self._names.get(name, name)}.{ports.get(of, {}).get(port, port)}"

        old = {end(into): end(source) for into, source in self._before.wires.items()}
        new = self._after.wires
        for one in sorted(old.keys() | new.keys()):
            yield from _values(self._place, "wire", old.get(one), new.get(one), one)

    def _parameters(self) -> Iterator[Change]:
        old, new = self._before.parameters, self._after.parameters
        for one in sorted(old.keys() | new.keys()):
            if one not in old or one not in new:
                first, then = (at[one].value if one in at else None for at in (old, new))
                yield from _values(self._place, "parameter", first, then, one)
                continue
            for key in ("value", "low", "high", "unit", "note"):
                first, then = (getattr(at[one], key) for at in (old, new))
                law = key != "note"
                yield from _values(self._place, "parameter", first, then, one, key, law=law)


def _line(block: DrawnBlock) -> str:
    of = {"of": block.of} if block.of else {}
    values = {key: _lists(value) for key, value in block.parameters.items()}
    return toml_value({"kind": block.kind, **of, **values})


def _signatures(contents: Mapping[str, Mapping[str, Any]], diagram: Diagram, known: Names
                ) -> dict[str, list[str]]:  # fmt: skip
    """Group the names of unknown blocks by kind, parameters and wires, sorted."""
    texts = {name: repr(sorted(one.items())) for name, one in contents.items()}
    ends: dict[str, list[str]] = {name: [] for name in contents}
    for target, source in diagram.wires.items():
        into, out_of = target.partition("."), source.partition(".")
        for own, other, side in ((into, out_of, "in"), (out_of, into, "out")):
            if own[0] in ends:
                far = known.get(other[0]) or texts.get(other[0], "")
                ends[own[0]].append(f"{side} {own[2]} {far} {other[2]}")
    found: dict[str, list[str]] = {}
    for name in sorted(contents.keys() - known.keys()):
        found.setdefault(f"{texts[name]} {sorted(ends[name])}", []).append(name)
    return found
