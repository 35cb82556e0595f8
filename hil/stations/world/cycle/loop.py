"""Loop of the virtual environment: a setpoint a step, the gate, the drives, the engine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hil.recording.events import EventKind, Level
from hil.recording.signals import RowFlag
from hil.stations.world.cycle.figures import WorldFigures
from hil.stations.world.cycle.row_columns import RowFit, row_columns
from hil.stations.world.signals import MODES
from safety.robot_limits import RobotAction, RobotCheck, RobotVerdict, RobotViolation
from sim.world.engine.world import DivergedError
from sim.world.robots.rotations import quaternion_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hil.recording.signals import Signals
    from hil.run.journal import Journal
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.cycle.contact_watch import Touch
    from hil.stations.world.cycle.extension import RunObserver
    from hil.stations.world.cycle.held_robot import HeldRobot
    from hil.stations.world.sources.source import SourceNews
    from hil.timing.clock import Clock, Tick

Array = NDArray[np.float64]

ACTIONS: Final = {action: code for code, action in enumerate(RobotAction)}
"""Codes of the actions of the gate."""
MOVING: Final = MODES.index("moving")
SETTLING: Final = MODES.index("settling")
MODES_OF_ACTIONS: Final = {
    RobotAction.STOPPING: MODES.index("stopping"), RobotAction.HOLDING: MODES.index("stopped"),
    RobotAction.OFF: MODES.index("off"),
}  # fmt: skip
"""Codes of the modes of a robot that does not move as it was asked, by what the gate does."""
NO_POSE: Final = (math.nan,) * 7
FLAGS: Final = {"completed": 0, "stopped": int(RowFlag.STOP_ASKED)}
"""Flags of a row by the outcome so far; every other is a fault."""


class BetweenSteps(Protocol):
    """Action between the command of a turn and its step."""

    def act(self, run: WorldRun, tick: Tick) -> None:
        """Act once a turn; never waits."""
        ...

    def close(self, run: WorldRun) -> None:
        """Finish after the run; its journal still takes events."""
        ...


class WorldRun:
    """Run of the virtual environment, as `hil.run.run.Run` has it.

    Args:
        bench: bench at the beginning.
        journal: takes rows and events; None for a proof, which records nothing.
        signals: table of the rows.
        stopped: returns why the operator stops the run; empty while he does not.
        lost: returns why the run has to end without a request; empty while it need not.
        between: further actions of each turn, in this order.
        observer: sees every turn, and may end the run; None for nobody.
    """

    def __init__(
        self,
        bench: WorldBench,
        clock: Clock,
        journal: Journal | None,
        signals: Signals,
        stopped: Callable[[], str] = str,
        lost: Callable[[], str] = str,
        between: Sequence[BetweenSteps] = (),
        observer: RunObserver | None = None,
    ) -> None:
        self.clock, self.period_s = clock, bench.world.step_s
        self.figures: WorldFigures = WorldFigures()
        """Figures up to this step."""
        self.journal: Journal | None = journal
        """Journal of rows and events; None for a proof."""
        self.signals: Signals = signals
        """Table of the rows."""
        self._bench, self._stopped, self._lost = bench, stopped, lost
        self._between, self._observer = tuple(between), observer
        self._columns = row_columns(bench)
        self._fit: RowFit | None = None
        self._kinds = _kinds(bench)
        self._records = journal is not None or observer is not None
        self._reads = self._records or bench.plan.diagram is not None
        self._settles = round(bench.plan.scenario.settle_s / self.period_s)
        self._ended_at: int | None = None
        if refused := bench.gated.reset():
            self._note_violations(0.0, refused)

    def turn(self, tick: Tick) -> bool:
        """Make one step; returns whether it was the last."""
        bench, index = self._bench, tick.index
        found, asked = bench.gated.found(), bench.source.setpoint(index)
        if self._ended_at is None and bench.source.ended:
            self._ended_at = index
        for news in bench.source.news():
            self._record_source_news(tick, news)
        if index:
            self._update_contacts(tick)
        for other in bench.held_robots:
            self._hold(tick, other)
        if self._reads:
            self._read_sensors(tick)
        stop = self._stopped()
        failed = bench.gated.law.fault or getattr(bench.source, "fault", "") or self._lost()
        verdict = bench.gated.step(asked, found, failed or stop)
        if verdict.violations:
            self._judge(tick, verdict, stop, failed)
        pose = bench.tool_pose() if self._records or bench.line is not None else None
        gap_m = self._measure(index, asked.positions, found.positions, pose)
        if self._observer is not None:
            self._observe(tick, self._observer)
        if self._records:
            of_joints = asked.positions, found.positions, found.speeds, found.efforts
            self._note(tick, verdict.action, gap_m, pose, *of_joints)
        if self._is_over(index, verdict.action):
            return True
        for one in self._between:
            one.act(self, tick)
        return self._step(tick)

    @property
    def bench(self) -> WorldBench:
        """Bench that is stepped; another one after an edit."""
        return self._bench

    def continue_with(self, bench: WorldBench) -> None:
        """Continue with another bench in the same state; rows keep their columns."""
        self._bench, self._fit = bench, self._columns.fit(bench)
        self._kinds = _kinds(bench)

    def _step(self, tick: Tick) -> bool:
        try:
            self._bench.world.step()
        except DivergedError as error:
            self.figures.ended, self.figures.reason = "diverged", str(error)
            self._put(tick, str(error), EventKind.FAULT)
            return True
        self.figures.steps += 1
        return False

    def failed(self, error: Exception) -> bool:
        """Return False: no error is an end of its own."""
        return False

    def close(self) -> None:
        """Close what moves the robot; there is no device besides."""
        for one in self._between:
            one.close(self)
        self._bench.close()
        self._bench.source.close()

    def _is_over(self, index: int, action: RobotAction) -> bool:
        if not self.figures.ok:
            return action is not RobotAction.STOPPING
        if self._observer is not None and self._observer.over:
            return True
        return self._ended_at is not None and index >= self._ended_at + self._settles

    def _observe(self, tick: Tick, observer: RunObserver) -> None:
        for one in observer.observe(tick, self.figures):
            if one.failed:
                self.figures.violations.append(f"t = {tick.t_s:.3f} s: {one.text}")
            if self.journal is not None:
                level = Level.ERROR if one.failed else Level.INFO
                self.journal.put(tick.t_s, tick.index, one.text, dict(one.data), who="judge",
                                  kind=EventKind.NOTE, level=level)  # fmt: skip

    def _read_sensors(self, tick: Tick) -> None:
        """Take the next reading, with the faults of this step."""
        sensors = self._bench.sensors
        for one in sensors.faults.advance(tick.index):
            if self.journal is not None:
                self.journal.put(tick.t_s, tick.index, one.text, dict(one.data), who="sensor",
                                  kind=EventKind.NOTE, level=Level.WARNING)  # fmt: skip
        sensors.read()

    def _hold(self, tick: Tick, other: HeldRobot) -> None:
        for message in other.step():
            text = f"{other.name}: {message}"
            self.figures.violations.append(f"t = {tick.t_s:.3f} s: {text}")
            self._put(tick, text, EventKind.VIOLATION)

    # -- records --------------------

    def _update_contacts(self, tick: Tick) -> None:
        begun, ended = self._bench.contacts.look(tick.t_s)
        self.figures.contacts = self._bench.contacts.count
        for one in begun:
            self.figures.violations.append(f"t = {one.begun_s:.3f} s: {one}")
            self._note_contact(tick, str(one), one, one.force_n)
        for one in ended:
            first, second = one.pair
            text = f"{first} has parted from {second}: {one.last_s - one.begun_s:.3f} s, at most"
            self._note_contact(tick, f"{text} {one.peak_n:.1f} N", one, one.peak_n)

    def _note_contact(self, tick: Tick, text: str, one: Touch, force_n: float) -> None:
        if self.journal is not None:
            first, second = one.pair
            data = {"contact": first, "with": second, "begun_s": one.begun_s, "force_n": force_n}
            self.journal.put(tick.t_s, tick.index, text, data, who="contact", kind=EventKind.NOTE,
                              level=Level.WARNING)  # fmt: skip

    def _record_source_news(self, tick: Tick, one: SourceNews) -> None:
        if self.journal is not None:
            level = Level.WARNING if one.warning else Level.INFO
            self.journal.put(tick.t_s, tick.index, one.text, dict(one.data), who="source",
                              kind=EventKind.NOTE, level=level)  # fmt: skip

    def _judge(self, tick: Tick, verdict: RobotVerdict, stop: str, failed: str) -> None:
        only_asked = all(one.check is RobotCheck.ASKED for one in verdict.violations)
        asked = bool(stop) and not failed and only_asked
        ended = "failed" if failed else "stopped" if asked else "refused"
        self._note_violations(tick.t_s, verdict.violations, ended)
        if self.journal is not None:
            for one in verdict.violations:
                kind, level = EventKind.VIOLATION, Level.ERROR
                if asked:
                    kind, level = EventKind.NOTE, Level.WARNING
                data = {key: value for key, value in one.data.items() if value == value}
                self.journal.put(tick.t_s, tick.index, one.message, data, who="gate", kind=kind,
                                  level=level)  # fmt: skip

    def _note_violations(
        self, t_s: float, broken: Sequence[RobotViolation], ended: str = "refused"
    ) -> None:
        """Record objections; the first that a person did not ask for decides the outcome."""
        self.figures.violations += [f"t = {t_s:.3f} s: {one.message}" for one in broken]
        if self.figures.well:
            self.figures.ended, self.figures.ended_by = ended, broken[0]
            self.figures.reason = f"t = {t_s:.3f} s: {broken[0].message}"

    def _measure(
        self, index: int, asked: tuple[float, ...], found: tuple[float, ...], pose: Array | None
    ) -> float:
        """Keep the figures up to date; returns the present gap of the loops [m]."""
        figures, bench = self.figures, self._bench
        turns, ways = (_greatest_error(asked, found, places) for places in self._kinds)
        figures.error_final_rad, figures.error_final_m = turns, ways
        if self._ended_at is None or index == self._ended_at:
            figures.error_max_rad = max(figures.error_max_rad, turns)
            figures.error_max_m = max(figures.error_max_m, ways)
        gap_m = bench.world.gap_max_m
        figures.gap_max_m = max(figures.gap_max_m, gap_m)
        if bench.line is not None and pose is not None:
            begin_m = bench.line.start[:3, 3]
            way = bench.line.goal[:3, 3] - begin_m
            share = float(np.clip((pose[:3, 3] - begin_m) @ way / (way @ way), 0.0, 1.0))
            away = float(np.linalg.norm(pose[:3, 3] - begin_m - share * way))
            figures.line_max_m = max(away, figures.line_max_m) if index else away
        return gap_m

    def _note(
        self, tick: Tick, action: RobotAction, gap_m: float, pose: Array | None,
        *of_joints: tuple[float, ...],
    ) -> None:  # fmt: skip
        journal, bench = self.journal, self._bench
        flags = FLAGS.get(self.figures.ended, RowFlag.FAULT_LATCHED)
        shown = *of_joints, bench.gated.commanded.tolist()
        coordinates, reading = bench.world.positions, bench.sensors.latest
        if self._fit is not None:
            shown = tuple(self._fit.of_joints(values) for values in shown)
            coordinates = np.array(self._fit.of_coordinates(coordinates.tolist()))
            reading = np.array(self._fit.of_readings(reading.tolist()))
        row = (
            tick.index, tick.t_s, self._mode(action), ACTIONS[action], flags, *shown,
            NO_POSE if pose is None else _seven(pose), gap_m,
            bench.contacts.touching, bench.contacts.force_n,
        )  # fmt: skip
        further = () if self._observer is None else (self._observer.values(),)
        whole = self.signals.pack(row, coordinates, reading, bench.shown(), *further)
        if self._observer is not None:
            self._observer.take_row(whole)
        if journal is not None:
            journal.row(whole, tick.t_s, tick.index)
            journal.service()

    def _mode(self, action: RobotAction) -> int:
        if action is RobotAction.PASSED:
            return MOVING if self._ended_at is None else SETTLING
        return MODES_OF_ACTIONS[action]

    def _put(self, tick: Tick, message: str, kind: EventKind) -> None:
        if self.journal is not None:
            self.journal.put(tick.t_s, tick.index, message, kind=kind, level=Level.ERROR)


def _greatest_error(asked: Sequence[float], found: Sequence[float], places: Sequence[int]) -> float:
    """Greatest distance of the measured from the wanted positions of some drives; 0 of none."""
    errors = [abs(found[at] - asked[at]) for at in places]
    total = sum(errors)
    return max(errors, default=0.0) if total == total else math.nan  # a nan is not the least


def _kinds(bench: WorldBench) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Places of the drives that turn, and of those that slide."""
    slides = bench.slides.tolist()
    turning, sliding = (
        tuple(at for at, one in enumerate(slides) if one is kind) for kind in (False, True)
    )
    return turning, sliding


def _seven(pose: Array) -> tuple[float, ...]:
    """Position and unit quaternion w, x, y, z."""
    return *pose[:3, 3].tolist(), *quaternion_of(pose[:3, :3])
