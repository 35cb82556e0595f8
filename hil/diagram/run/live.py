"""Changes of a diagram that runs: another version of it is built beside, tried for a tick, taken.

The version that comes carries over what the running one has, by path and shape: states, outputs,
inputs, the tick. Both compute one tick of the same inputs; who runs them compares what comes out.
So a change of a parameter and one of the structure are the same thing, and nothing is lost when one
is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import SoundDiagram, check
from hil.diagram.check.flat import Endpoint
from hil.diagram.file.model import DiagramFile
from hil.diagram.file.subdiagram import inside
from hil.diagram.library.registry import kinds
from hil.diagram.run.engine import Engine

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """A diagram with parameters set, built and ready to run."""

    file: DiagramFile
    changes: Mapping[Endpoint, Any]
    """Values in place of the file's: path of a block, empty for the diagram, and name."""
    engine: Engine

    @property
    def given(self) -> dict[str, Any]:
        """The values in place of the file's by ``path.name``, as a change sets them."""
        return {f"{path}.{name}" if path else name: one
                for (path, name), one in self.changes.items()}  # fmt: skip

    @property
    def sound(self) -> SoundDiagram:
        """The diagram, as it was checked."""
        return self.engine.sound

    @classmethod
    def of(
        cls, file: DiagramFile, changes: Mapping[Endpoint, Any], *, models: bool = False
    ) -> Version:
        """Check and build one.

        Args:
            models: whether somebody runs its FMUs.

        Raises:
            ConfigError: with a line for each fault.
        """
        return cls(file, dict(changes), Engine(check(file, changes), models=models))

    def changed(
        self, changes: Mapping[Endpoint, Any], file: DiagramFile | None = None
    ) -> tuple[Version, tuple[tuple[str, Any, Any], ...]]:
        """The version that a change makes of this one; nothing is changed here.

        Parameters that were set before stay set, unless another file comes: that one says all.

        Args:
            changes: parameters to be set, all of them or none.
            file: another diagram.

        Returns:
            The version, and each parameter that is another: its path, what it was, what it will be.

        Raises:
            ConfigError: with a line for each fault.
        """
        wanted = dict(changes) if file is not None else {**self.changes, **changes}
        version = Version.of(file or self.file, wanted, models=True)
        _require_same_models(self, version)
        if version.sound.flat.base_s != self.sound.flat.base_s:
            problem = (
                f"base_s = {version.sound.flat.base_s:g} s: {self.sound.flat.base_s:g} s, while "
            )
            raise ConfigError(str(version.file.path), [f"{problem}it runs"])
        return version, tuple(self._changed_values(changes, version))

    def _changed_values(self, changes: Mapping[Endpoint, Any], version: Version) -> Iterator[Any]:
        for (path, name), value in changes.items():
            before = self.value(path, name)
            if before != value:
                yield f"{path}.{name}" if path else name, before, value

    def value(self, path: str, name: str) -> Any:
        """What a parameter is; None if there is none."""
        if (path, name) in self.changes:
            return self.changes[path, name]
        if not path:
            own = self.file.top.parameters.get(name)
            return None if own is None else own.value
        if (block := self.sound.flat.blocks.get(path)) is not None:
            return block.parameters.get(name)
        around, _, own = path.rpartition("/")
        drawn = inside(self.file, around).blocks.get(own)
        if drawn is None or name in drawn.parameters:
            return None if drawn is None else drawn.parameters[name]
        kind = kinds().get(drawn.kind)
        known = None if kind is None else kind.parameter(name)
        return None if known is None else known.default


class Successor:
    """A version that is to follow another one while that runs.

    Args:
        before: runs.
        after: will run.
    """

    def __init__(self, before: Version, after: Version) -> None:
        self.before, self.after = before, after
        old, new = before.engine, after.engine
        pairs = [*_common_states(old, new), *_common_ports(old, new), *_of_models(old, new)]
        self._from, self._to = _places(one for one, _ in pairs), _places(one for _, one in pairs)

    def carry_over(self) -> None:
        """Take over what the running one has, before it computes its next tick."""
        old, new = self.before.engine, self.after.engine
        new.values[self._to] = old.values[self._from]
        new.tick = old.tick


def followed(
    version: Version, changes: Mapping[Endpoint, Any]
) -> tuple[Version, tuple[tuple[str, Any, Any], ...]]:
    """The version that goes on from one in its next tick with other parameters; as `changed`.

    Raises:
        ConfigError: with a line for each that is refused.
    """
    after, changed = version.changed(changes)
    Successor(version, after).carry_over()
    return after, changed


def _common_states(old: Engine, new: Engine) -> Iterator[tuple[slice, slice]]:
    """States of blocks of the same path and kind that are as many."""
    for path, where in new.table.states.items():
        there = old.table.states.get(path)
        if there is None or there.stop - there.start != where.stop - where.start:
            continue
        if old.sound.flat.blocks[path].kind is new.sound.flat.blocks[path].kind:
            yield there, where


def _common_ports(old: Engine, new: Engine) -> Iterator[tuple[slice, slice]]:
    """Outputs and inputs of the same path, name and type."""
    for end, where in new.table.ports.items():
        there = old.table.ports.get(end)
        if there is not None and old.sound.types[end] == new.sound.types[end]:
            yield there, where


def _of_models(old: Engine, new: Engine) -> Iterator[tuple[slice, slice]]:
    """What the FMUs of both tell now."""
    for path in new.sound.flat.models:
        for name in new.table.numbers:
            if name.startswith(f"{path}/"):
                yield old.table.numbers[name], new.table.numbers[name]


def _require_same_models(before: Version, after: Version) -> None:
    """Refuse a change of FMUs, whose processes run.

    Raises:
        ConfigError: naming the first that is another.
    """
    old, new = before.sound.flat.models, after.sound.flat.models
    for path in dict.fromkeys((*old, *new)):
        if old.get(path) != new.get(path):
            problem = f"{path}: an FMU stays what it is while it runs: end the run, and begin anew"
            raise ConfigError(str(after.file.path), [problem])


def _places(slices: Iterator[slice]) -> Places:
    found: Sequence[Places] = [np.arange(one.start, one.stop) for one in slices]
    return np.concatenate(found or [np.empty(0, np.intp)]).astype(np.intp)
