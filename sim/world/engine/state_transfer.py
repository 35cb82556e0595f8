"""A world's state carried over into another world: by the names and types of its elements.

What has no namesake of its type begins as its document has it. An edit that changes nothing leaves
every bit as it was: what the solver begins from, applied forces, switched ties and delays go along.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.loop_closure import ClosingRefusedError, LoopClosure, close_loops, tie_gaps
from sim.world.engine.world import World
from sim.world.engine.world_bodies import Push

Array = NDArray[np.float64]

BEYOND: Final = 1e-4
"""Way past a new limit [rad] or [m] that is taken for the yielding of the engine's own stops."""


class CarryRefusedError(ValueError):
    """The state of a world cannot go over into another one; the text says why."""


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """What went over, by the engine's names."""

    kept: tuple[str, ...]
    """Joints that go on as they were."""
    fresh: tuple[str, ...]
    """Joints that begin where their document has them, at rest."""
    gone: tuple[str, ...]
    """Joints of the old world that are not in the new one, or are of another type there."""
    closing: LoopClosure | None
    """How loops were closed; None if the edit opened none."""


def carry_over(old: World, new: World) -> CarriedOver:
    """Let a world that stands at its beginning go on where another one is.

    The old one is left as it is.

    Raises:
        CarryRefusedError: if loops cannot be closed by a small correction, or a joint would be
            beyond its limits; the new world is of no use then.
    """
    # Worlds and what carries one over into the other are parts of one thing.
    library: Any = new._engine  # noqa: SLF001
    source = _Side(library, old._model, old._data)  # noqa: SLF001
    target = _Side(library, new._model, new._data)  # noqa: SLF001
    before, after = source.named("JOINT"), target.named("JOINT")
    kinds = source.model.jnt_type, target.model.jnt_type
    kept = [
        name for name, at in after.items()
        if name in before and int(kinds[0][before[name]]) == int(kinds[1][at])
    ]  # fmt: skip
    for name in kept:
        _carry_joint(source, target, before[name], after[name])
    target.data.time = source.data.time
    target.model.opt.gravity[:] = source.model.opt.gravity
    _carry_drives(source, target)
    _carry_delays(source, target)
    _carry_ties(source, target)
    _carry_forces(source, target, old, new)
    try:
        closing = close_loops(library, target.model, target.data, _gaps_of(source))
    except ClosingRefusedError as error:
        raise CarryRefusedError(str(error)) from None
    for name in kept:
        _within(source, target, name, before[name], after[name])
    return CarriedOver(
        tuple(kept),
        tuple(name for name in after if name not in kept),
        tuple(name for name in before if name not in kept),
        closing,
    )


class _Side:
    """One of the two worlds, as the engine has it."""

    def __init__(self, library: Any, model: Any, data: Any) -> None:
        self.library, self.model, self.data = library, model, data

    def named(self, kind: str) -> dict[str, int]:
        """Numbers of all elements of a kind that have a name."""
        of_kind = getattr(self.library.mjtObj, f"mjOBJ_{kind}")
        count = {"JOINT": self.model.njnt, "ACTUATOR": self.model.nu, "SENSOR": self.model.nsensor,
                 "EQUALITY": self.model.neq, "BODY": self.model.nbody}[kind]  # fmt: skip
        names = (self.library.mj_id2name(self.model, of_kind, at) for at in range(count))
        return {name: at for at, name in enumerate(names) if name}

    def of_joint(self, number: int) -> tuple[slice, slice]:
        """Places of a joint's coordinates and freedoms."""
        wide, free = {0: (7, 6), 1: (4, 3)}.get(int(self.model.jnt_type[number]), (1, 1))
        position, freedom = self.model.jnt_qposadr[number], self.model.jnt_dofadr[number]
        return slice(position, position + wide), slice(freedom, freedom + free)


def _carry_joint(source: _Side, target: _Side, before: int, after: int) -> None:
    """Coordinates, speeds, applied forces, and where the solver begins."""
    (was, went), (at, goes) = source.of_joint(before), target.of_joint(after)
    target.data.qpos[at] = source.data.qpos[was]
    for field in ("qvel", "qacc_warmstart", "qfrc_applied"):
        getattr(target.data, field)[goes] = getattr(source.data, field)[went]


def _pairs(source: _Side, target: _Side, kind: str) -> Iterator[tuple[int, int]]:
    """Numbers of namesakes in both."""
    before = source.named(kind)
    for name, after in target.named(kind).items():
        if name in before:
            yield before[name], after


def _carry_drives(source: _Side, target: _Side) -> None:
    """Commands, and states of drives that have any."""
    for before, after in _pairs(source, target, "ACTUATOR"):
        target.data.ctrl[after] = source.data.ctrl[before]
        count = int(target.model.actuator_actnum[after])
        if count and count == int(source.model.actuator_actnum[before]):
            was = int(source.model.actuator_actadr[before])
            at = int(target.model.actuator_actadr[after])
            target.data.act[at : at + count] = source.data.act[was : was + count]


def _carry_delays(source: _Side, target: _Side) -> None:
    """What sensors and drives delay, of those that keep as much of it."""
    addresses = (source.model, target.model)
    for kind, field in (("SENSOR", "sensor"), ("ACTUATOR", "actuator")):
        ends = [_history_ends(model, field) for model in addresses]
        for before, after in _pairs(source, target, kind):
            was, at = ends[0].get(before), ends[1].get(after)
            if was is not None and at is not None and was.stop - was.start == at.stop - at.start:
                target.data.history[at] = source.data.history[was]


def _history_ends(model: Any, field: str) -> dict[int, slice]:
    """Where each delayed element of a kind has its history."""
    starts = [
        (int(at), kind, number)
        for kind in ("sensor", "actuator")
        for number, at in enumerate(getattr(model, f"{kind}_historyadr"))
        if at >= 0
    ]
    starts.sort()
    stops = [*(at for at, _, _ in starts[1:]), int(model.nhistory)][: len(starts)]
    return {
        number: slice(at, stop)
        for (at, kind, number), stop in zip(starts, stops, strict=True)
        if kind == field
    }


def _carry_ties(source: _Side, target: _Side) -> None:
    """Which ties are on; a tie of one joint to a place of its own stays where it closed."""
    for before, after in _pairs(source, target, "EQUALITY"):
        kind = int(target.model.eq_type[after])
        if kind != int(source.model.eq_type[before]):
            continue
        target.data.eq_active[after] = source.data.eq_active[before]
        alone = int(target.model.eq_obj2id[after]) < 0 and int(source.model.eq_obj2id[before]) < 0
        if kind == int(source.library.mjtEq.mjEQ_JOINT) and alone:
            rest = [
                side.model.qpos0[side.model.jnt_qposadr[side.model.eq_obj1id[number]]]
                for side, number in ((source, before), (target, after))
            ]
            target.model.eq_data[after, 0] = (
                source.model.eq_data[before, 0] if rest[0] == rest[1]
                else source.model.eq_data[before, 0] + rest[0] - rest[1]
            )  # fmt: skip


def _carry_forces(source: _Side, target: _Side, old: World, new: World) -> None:
    """Applied to bodies, and what pushes them still."""
    places: dict[int, int] = {}
    for before, after in _pairs(source, target, "BODY"):
        places[before] = after
        target.data.xfrc_applied[after] = source.data.xfrc_applied[before]
    pushes = old._pushes  # noqa: SLF001
    new._pushes = [  # noqa: SLF001
        Push(places[one.body], one.wrench, one.left_s) for one in pushes if one.body in places
    ]


def _gaps_of(source: _Side) -> dict[str, Array]:
    """Of the old world's ties where it is now, which its last step does not tell."""
    if not source.model.neq:
        return {}
    scratch = source.library.MjData(source.model)
    scratch.qpos[:] = source.data.qpos
    scratch.eq_active[:] = source.data.eq_active
    source.library.mj_fwdPosition(source.model, scratch)
    return tie_gaps(source.library, source.model, scratch)


def _within(source: _Side, target: _Side, name: str, before: int, after: int) -> None:
    """Refuse a joint that is further beyond its limits than it was."""
    if not target.model.jnt_limited[after] or int(target.model.jnt_type[after]) in (0, 1):
        return
    at = float(target.data.qpos[target.model.jnt_qposadr[after]])
    least, greatest = target.model.jnt_range[after].tolist()
    beyond, was = max(least - at, at - greatest), 0.0
    if source.model.jnt_limited[before]:
        stood = float(source.data.qpos[source.model.jnt_qposadr[before]])
        least_was, greatest_was = source.model.jnt_range[before].tolist()
        was = max(least_was - stood, stood - greatest_was, 0.0)
    if beyond > was + BEYOND:
        unit = "m" if int(target.model.jnt_type[after]) == 2 else "rad"
        raise CarryRefusedError(
            f"joint {name} is at {at:.6g} {unit}, outside its limits of {least:.6g} to "
            f"{greatest:.6g} {unit}: move it there first, or widen them"
        )
