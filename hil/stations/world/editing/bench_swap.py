"""Replacement of a run's bench by that of an edited document, between two of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from hil.config.errors import RefusedError
from hil.run.edit_texts import EditRefusedError, names_text
from hil.stations.world.cycle.bench import DEEP_M, bench_again
from hil.stations.world.editing.edit_build import plan_with
from hil.stations.world.editing.edit_continuation import continue_source
from safety.robot_limits import RobotAction
from sim.world.engine.model_compiler import ModelRefusedError, ModelText
from sim.world.engine.state_transfer import CarriedOver, CarryRefusedError, carry_over
from sim.world.engine.world import World

if TYPE_CHECKING:
    from hil.run.journal import Scalar
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.editing.edit_build import BuiltEdit

DEEPER_M: Final = 1e-4
"""Most by which an edit may deepen an overlap of bodies that is 1 mm already [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class BenchSwap:
    """New bench of a run, and what it took over."""

    bench: WorldBench
    """Bench in the state of the old one."""
    carried: CarriedOver
    """State that was taken over."""

    def facts(self) -> Mapping[str, Scalar]:
        """Data for an event of the recording."""
        found: dict[str, Scalar] = {
            "kept": len(self.carried.kept),
            "fresh": names_text(self.carried.fresh),
            "gone": names_text(self.carried.gone),
        }
        if (closing := self.carried.closing) is not None:
            found |= {
                "gap_m": closing.gap_m, "left_m": closing.left_m, "way_m": closing.travel_m,
                "turn_rad": closing.turn_rad, "speed_change": closing.speed_change,
            }  # fmt: skip
        return found


def swapped(old: WorldBench, built: BuiltEdit) -> BenchSwap:
    """Bench with another document of its robot, its state carried over by names.

    The old bench is left as it is.

    Raises:
        EditRefusedError: with the reason, if the state cannot be carried over.
    """
    source_of = built.edit.source
    first, *others = (robot.placed for robot in old.world.robots)
    text = ModelText(
        built.text, (replace(first, robot=built.weighed), *others),
        (built.start, *(robot.start for robot in old.world.robots[1:])),
        tuple(body.document for body in old.world.bodies.values()), built.files,
    )  # fmt: skip
    try:
        world = World(text, built.model)
        plan = plan_with(old.plan, built.robot, built.canonical)
        bench = bench_again(plan, world, old.law, built.gains, old.source, old.line)
        deep = old.contacts.deep(0.0)
        carried = carry_over(old.world, world)
    except (ModelRefusedError, CarryRefusedError, RefusedError) as error:
        raise EditRefusedError(f"{source_of}: {error}") from None
    if old.gated.action is not RobotAction.OFF:
        wider = old.gated.limits.widened(bench.gated.limits)
        problem = "while it has power bounds of [machine] only become narrower"
        if wider:
            raise EditRefusedError(*(f"{source_of}: {one}; {problem}" for one in wider))
    deeper = {
        pair: depth_m
        for pair, depth_m in bench.contacts.deep(DEEP_M).items()
        if depth_m > deep.get(pair, 0.0) + DEEPER_M
    }
    if deeper:
        raise EditRefusedError(
            *(f"{source_of}: {one} and {other} would be {1e3 * depth_m:.1f} mm in each other"
              for (one, other), depth_m in deeper.items())
        )  # fmt: skip
    columns = _columns(old, bench, carried)
    at = bench.robot.positions().tolist()
    source = continue_source(old.source, columns, at, len(old.robot.drives))
    bench = replace(bench, source=source)
    bench.gated.carry_over(old.gated, columns)
    bench.sensors.carry_over(old.sensors.snapshot())
    bench.contacts.carry_over(old.contacts)
    for one, before in zip(bench.held_robots, old.held_robots, strict=True):
        one.carry_over(before)
    return BenchSwap(bench, carried)


def _columns(old: WorldBench, new: WorldBench, carried: CarriedOver) -> list[int]:
    """Place of each new drive's joint among the old ones; -1 for one that is new or had none."""
    prefix, kept = new.robot.placed.prefix, set(carried.kept)
    before = {drive.joint: at for at, drive in enumerate(old.robot.drives)}
    return [
        before.get(drive.joint, -1) if f"{prefix}j{drive.joint}" in kept else -1
        for drive in new.robot.drives
    ]
