"""Assembly of an operated run: operator, motion, course and station."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np

from hil.config.settings import ConfigError
from hil.desk.operator import Operator, OrderSource
from hil.desk.publisher import Note, OperationSink, Publisher
from hil.desk.watch import DeskWatch
from hil.machines.rig.machine import geometry_of, park_pose
from hil.machines.rig.settings import Rig
from hil.recording.header import RunHeader
from hil.recording.recorder import RecordingSink
from hil.run.journal import Audience
from hil.stations.platform.cycle.control import (
    Control,
    ParkingProof,
    PlatformMachine,
    PlatformStation,
)
from hil.stations.platform.cycle.expected_force import ExpectedForces
from hil.stations.platform.cycle.journal import PlatformJournal
from hil.stations.platform.lead import kernels
from hil.stations.platform.lead.extension import Extension
from hil.stations.platform.lead.motion import OperatedMotion
from hil.stations.platform.lead.park_path import ParkPath
from hil.stations.platform.lead.path_check import PathCheck
from hil.stations.platform.lead.paths import ShortestPath
from hil.stations.platform.lead.sequence import OperatedCourse
from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.platform.motion.source import MotionSource
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.signals import SIGNALS
from hil.timing.clock import Tick
from platform6dof.inverse import leg_setpoints_batch
from safety.modes import Request
from safety.verdict import Verdict


class OperatedStation(PlatformStation):
    """Control of one platform through one operated run."""

    def __init__(
        self,
        machine: PlatformMachine,
        motion: OperatedMotion,
        course: OperatedCourse,
        period_s: float,
        parking: ParkingProof,
    ) -> None:
        super().__init__(machine, motion, course, period_s, parking)
        self._course = course
        self.watch: Callable[[Tick], None] = _nothing
        """Called in every cycle to check the processes beside the run."""

    def step(self, tick: Tick, verdict: Verdict | None) -> Control:
        """Control's part of this cycle.

        Args:
            verdict: the gate's verdict of the last cycle.

        Raises:
            ForwardKinematicsError: if the commanded lengths belong to no pose.
        """
        self.watch(tick)
        self._course.update(tick, verdict)
        control = super().step(tick, verdict)
        self._course.asked(control.requests)
        self._course.publish(tick)
        return control._replace(reset=self._course.reset, act_s=self._course.act_s)

    def _give_up_parking(self, tick: Tick, why: str) -> tuple[Request, ...]:
        """Stay, as no path to park is free, until the operator ends the run."""
        self._course.refuse_parking(tick, why)
        return ()


def _nothing(tick: Tick) -> None:
    """Do nothing: there is nothing to check."""


PROVER_PROGRAM: Final = ("-m", "hil.stations.platform.proof.prover")
"""Arguments of the interpreter for the process that proves an operator's requests."""


class NoDeskError(Exception):
    """Desk between panels and bench cannot be set up; the text says why. Nothing has moved."""


def require_operable(plan: Plan) -> None:
    """Refuse a plan that no operator can lead.

    Raises:
        ConfigError: on the virtual clock, whose time nobody can keep up with.
    """
    if plan.scenario.clock != "real":
        raise ConfigError(
            plan.scenario_file,
            [
                f"clock = {plan.scenario.clock!r} with --operator: a person lives in real time; "
                'use clock = "real" (--clock real)'
            ],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Leading:
    """Parts of an operated run."""

    plan: Plan
    """Plan: scenario and rig."""
    machine: PlatformMachine
    """Kinematics of the rig."""
    motion: MotionSource
    """Motion of the scenario."""
    patience_cycles: tuple[int, int]
    """Longest stop, and longest homing, in cycles."""
    now_s: Callable[[], float]
    """Monotonic time [s], the clock that stamps the orders."""
    extension: Extension | None = None
    """Extension of another station, with a motion of its own."""


def operated_run(
    parts: Leading, slot: OrderSource, sink: OperationSink, note: Note
) -> tuple[OperatedStation, OperatedCourse]:
    """Control of a run that an operator leads, and its course."""
    plan = parts.plan
    period_s = plan.scenario.period_s
    parking = parking_proof(plan, parts.machine)
    led = None if parts.extension is None else parts.extension.led
    motion = OperatedMotion(plan, parts.motion) if led is None else led()
    operator = Operator(slot, parts.now_s, plan.scenario.operator.dead_man)
    course = OperatedCourse(operator, motion, *parts.patience_cycles, sink, note, period_s=period_s)
    return OperatedStation(parts.machine, motion, course, period_s, parking), course


def parking_proof(plan: Plan, machine: PlatformMachine) -> ParkPath:
    """Proof of the path to park, made before it is followed."""
    reach = PathCheck(plan.rig, plan.scenario.period_s)
    return ParkPath(machine.park, plan.rig.neutral.pose(), machine.slow_moves, reach)


@contextmanager
def led_run(
    parts: Leading, header: RunHeader, sink: RecordingSink
) -> Iterator[tuple[PlatformJournal, OperatedStation, OperatedCourse]]:
    """Desk that panels find, with control that carries out their requests.

    Args:
        sink: recorder; panels get the same rows.

    Raises:
        NoDeskError: if the desk cannot be set up; nothing has moved.
    """
    from hil.desk.endpoints import PlaceError
    from hil.desk.process import DeskError, DeskProcess  # Linux only

    scenario, extension = parts.plan.scenario, parts.extension
    with ExitStack() as stack:
        try:
            desk = DeskProcess(
                header, scenario.period_s, station=header.signals.station,
                prover=PROVER_PROGRAM if extension is None else extension.prover,
                dead_man=scenario.operator.dead_man,
            )  # fmt: skip
            stack.enter_context(desk)
        except (DeskError, PlaceError, OSError) as error:
            raise NoDeskError(f"no operator's desk: {error}") from error
        journal = journal_of(sink, parts.plan.rig, extension, desk.telemetry)
        publisher = Publisher(desk.telemetry)
        station, course = operated_run(parts, desk.slot, publisher, journal.operator)
        station.watch = DeskWatch(desk, journal.desk).update
        yield journal, station, course


def journal_of(
    sink: RecordingSink, rig: Rig, extension: Extension | None, audience: Audience | None = None
) -> PlatformJournal:
    """Journal of a run; of a rig with bodies with the forces that they need."""
    signals, blank = (SIGNALS, b"") if extension is None else (extension.signals, extension.blank)
    return PlatformJournal(sink, audience, blank, ExpectedForces.of(rig, signals))


def prepare(plan: Plan) -> None:
    """Compile the further kernels of an operated run, before anything is powered.

    Args:
        plan: plan that an operator can lead.

    Raises:
        ConfigError: if it is not.
    """
    require_operable(plan)
    kernels.warm()
    rows = np.zeros((3, 6))
    path = ShortestPath(rows, np.full(6, 0.1), MoveLimits(1.0, 1.0, 1.0, 1.0, 1.0, 1.0))
    rig, geometry = plan.rig, geometry_of(plan.rig)
    leg_setpoints_batch(geometry, np.stack([path.rows(0.1)[0]]), rows[:1])
    machine = PlatformMachine(geometry, park_pose(rig, geometry), rig.slow_moves.limits())
    warm_parking(plan, machine)


def warm_parking(plan: Plan, machine: PlatformMachine) -> None:
    """Compile the kernels that prove a path to park, before a cycle waits for them."""
    proof = parking_proof(plan, machine)
    while proof.path is None and not proof.refused:
        proof.work(plan.rig.neutral.pose)
