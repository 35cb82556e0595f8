"""Snapshots of a run between two of its steps, from which it continues bit by bit, also elsewhere.

Everything that decides how a run continues is in it: documents, the engine's state with what its
solver begins from, switched ties, pushes, what sensors delay and the numbers of their noise, laws,
gates, contacts, the motion and the figures. Sources that a person leads cannot be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.recording.signals import Signals
from hil.stations.world.cycle.bench import bench_again, gains_of, model_of_plan
from hil.stations.world.cycle.contact_watch import ContactState, Touch
from hil.stations.world.cycle.figures import WorldFigures
from hil.stations.world.cycle.loop import BetweenSteps, WorldRun
from hil.stations.world.cycle.row_columns import RowColumns
from hil.stations.world.editing.edit_continuation import ContinuedSource
from hil.stations.world.editing.plans import plan_from_header
from hil.stations.world.sources.source import LaidOutSource, SetpointSource
from hil.timing.clock import Clock, Tick
from safety.robot_gate import RobotGateState
from safety.robot_limits import RobotAction
from sim.world.engine.library import engine
from sim.world.engine.world import World, WorldSnapshot
from sim.world.engine.world_bodies import Push
from sim.world.motion.lines import StraightLine
from sim.world.motion.planned_motion import JointInterpolation, PlannedMotion
from sim.world.sensors.sensor_chain import ChainSnapshot
from sim.world.sensors.sensor_signals import SensorSignal

if TYPE_CHECKING:
    from hil.run.journal import Journal
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.cycle.gated_robot import GatedRobot

Array = NDArray[Any]

MOTION: Final = ("positions", "speeds", "accelerations")
"""Names of the arrays of a motion."""
CHAIN: Final = ("begun", "filtered", "history", "told")
"""Names, in a file, of the bytes that sensors remember, in the order of `ChainSnapshot`."""


@dataclass(frozen=True, slots=True, eq=False)
class RunSnapshot:
    """Run between the command of a turn and its step."""

    head: Mapping[str, Any]
    """Numbers, texts, lists and tables of them, as JSON can hold."""
    arrays: Mapping[str, Array]
    """Arrays by their names."""


def snapshot_of(run: WorldRun, tick: Tick) -> RunSnapshot:
    """Take a snapshot of a run between its command and its step (`BetweenSteps`).

    Raises:
        RefusedError: if its motion is led by a person.
    """
    bench = run.bench
    source, held = bench.source, None
    if isinstance(source, ContinuedSource):
        source, held = source.source, [list(source.columns), list(source.held)]
    if bench.plan.diagram is not None:
        raise RefusedError("snapshot: a diagram moves the robot; its state cannot be kept yet")
    if not isinstance(source, LaidOutSource):
        raise RefusedError("snapshot: the robot is led; only a motion laid out ahead can be kept")
    motion = source.motion
    motion = motion.whole() if isinstance(motion, JointInterpolation) else motion
    world, chain = bench.world.snapshot(), bench.sensors.snapshot()
    columns = run._columns  # noqa: SLF001  # a run and what keeps it are two parts of one thing
    head: dict[str, Any] = {
        "engine": engine().__version__,
        "index": tick.index,
        "signals": run.signals.header(),
        "plan": bench.plan.to_table(),
        "law": bench.law,
        "figures": asdict(run.figures),
        "ended_at": run._ended_at,  # noqa: SLF001
        "joints": list(columns.joints),
        "coordinates": list(columns.coordinates),
        "readings": [asdict(one) for one in columns.readings],
        "pushes": [[one.body, list(one.wrench), one.left_s] for one in world.pushes],
        "held": held,
        "period_s": motion.period_s,
        "line": None if bench.line is None else [bench.line.turning, list(bench.line.parts)],
        "robot": _gated_state(bench.gated),
        "standing": [
            [one.name, list(one.asked.positions), _gated_state(one.gated)]
            for one in bench.held_robots
        ],
        "contacts": asdict(bench.contacts.state()),
        "sensors": [chain.seed, chain.step, list(chain.values)],
    }
    arrays: dict[str, Array] = {"world": np.frombuffer(world.state, np.uint8)}
    for index, field in enumerate(world.model):
        arrays[f"model_{index}"] = np.frombuffer(field, np.uint8)
    arrays |= {f"motion_{name}": getattr(motion, name) for name in MOTION}
    kept = (chain.begun, chain.filtered, chain.history, chain.published)
    for name, data in zip(CHAIN, kept, strict=True):
        arrays[f"sensors_{name}"] = np.frombuffer(data, np.uint8)
    if bench.line is not None:
        arrays |= {"line_start": bench.line.start, "line_goal": bench.line.goal}
    return RunSnapshot(head, {name: array.copy() for name, array in arrays.items()})


def restored(
    snapshot: RunSnapshot,
    clock: Clock,
    journal: Journal | None,
    *,
    stopped: Callable[[], str] = str,
    between: Sequence[BetweenSteps] = (),
) -> WorldRun:
    """Run that continues from a snapshot, its step made: its next turn is the one after that.

    Args:
        clock: its ticks count from the snapshot's turn on.

    Raises:
        RefusedError: if it is of another release of the engine, or cannot be used.
    """
    head = snapshot.head
    if head["engine"] != (now := engine().__version__):
        problem = f"of release {head['engine']} of the engine; {now} is here, which steps otherwise"
        raise RefusedError(f"snapshot: {problem}")
    try:
        return _restored(snapshot, clock, journal, stopped, between)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise RefusedError(f"snapshot: cannot be used: {error!r}") from error


def _restored(
    snapshot: RunSnapshot,
    clock: Clock,
    journal: Journal | None,
    stopped: Callable[[], str],
    between: Sequence[BetweenSteps],
) -> WorldRun:
    head = snapshot.head
    bench = _bench(snapshot)
    index = int(head["index"])
    resumed = ResumedClock(clock, index + 1)
    signals = Signals.from_header(head["signals"])
    run = WorldRun(bench, resumed, journal, signals, stopped, between=between)
    readings = tuple(SensorSignal(**{**one, "parts": tuple(one["parts"])})
                     for one in head["readings"])  # fmt: skip
    columns = RowColumns(tuple(head["joints"]), tuple(head["coordinates"]), readings)
    run.figures = WorldFigures(**head["figures"])
    run._ended_at = head["ended_at"]  # noqa: SLF001  # two parts of one thing
    run._columns, run._fit = columns, columns.fit(bench)  # noqa: SLF001
    _resume(bench, snapshot)
    period_s = run.period_s
    run._step(Tick(index, index * period_s, period_s, 0.0))  # noqa: SLF001
    return run


class ResumedClock:
    """Clock whose ticks begin at a number.

    Args:
        first: number of its first tick.
    """

    def __init__(self, clock: Clock, first: int) -> None:
        self._clock, self._first = clock, first

    @property
    def overruns(self) -> int:
        """Deadlines that the clock gave up."""
        return self._clock.overruns

    def now_s(self) -> float:
        """Time of the clock [s]."""
        return self._clock.now_s()

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield the clock's ticks, counted on."""
        for tick in self._clock.ticks(period_s):
            index = tick.index + self._first
            yield Tick(index, index * period_s, tick.dt_s, tick.late_s)


class SnapshotRecorder:
    """Takes snapshots of a run after given rows.

    Args:
        rows: numbers of the rows.
        keep: takes each snapshot.
    """

    def __init__(self, rows: Sequence[int], keep: Callable[[RunSnapshot], object]) -> None:
        self._rows, self._keep = frozenset(rows), keep

    def act(self, run: WorldRun, tick: Tick) -> None:
        """Take a snapshot, if this is one of the rows."""
        if tick.index in self._rows:
            self._keep(snapshot_of(run, tick))

    def close(self, run: WorldRun) -> None:
        """Do nothing: no resource is held."""


def _gated_state(gated: GatedRobot) -> list[Any]:
    state = gated.state()
    values = [list(one) for one in (state.positions, state.speeds, state.braking)]
    law = [gated.law.integrals.tolist(), gated.commanded.tolist()]
    return [state.action.name, *values, state.left_s, *law]


def _resume_gated(gated: GatedRobot, document: Sequence[Any]) -> None:
    action, positions, speeds, braking, left_s, integrals, commanded = document
    state = RobotGateState(
        RobotAction[action], tuple(positions), tuple(speeds), tuple(braking), left_s
    )
    gated.resume(state, np.array(integrals, np.float64), np.array(commanded, np.float64))


def _bench(snapshot: RunSnapshot) -> WorldBench:
    """Bench at the start of the kept documents."""
    head, arrays = snapshot.head, snapshot.arrays
    plan = plan_from_header(head["plan"])
    motion = PlannedMotion(head["period_s"], *(arrays[f"motion_{name}"].copy() for name in MOTION))
    source: SetpointSource = LaidOutSource(motion)
    if head["held"] is not None:
        source = ContinuedSource(source, *head["held"])
    line = None
    if head["line"] is not None:
        turning, parts = head["line"]
        line = StraightLine(arrays["line_start"].copy(), arrays["line_goal"].copy(), turning,
                            (parts[0], parts[1]))  # fmt: skip
    world = World(model_of_plan(plan))
    return bench_again(plan, world, head["law"], gains_of(plan, world), source, line)


def _resume(bench: WorldBench, snapshot: RunSnapshot) -> None:
    """Put the kept state into a bench."""
    head, arrays = snapshot.head, snapshot.arrays
    pushes = tuple(Push(body, tuple(wrench), left_s) for body, wrench, left_s in head["pushes"])
    count = sum(name.startswith("model_") for name in arrays)
    model = tuple(arrays[f"model_{index}"].tobytes() for index in range(count))
    bench.world.restore(WorldSnapshot(arrays["world"].tobytes(), model, pushes))
    _resume_gated(bench.gated, head["robot"])
    for one, (name, positions, state) in zip(bench.held_robots, head["standing"], strict=True):
        if one.name != name:
            raise RefusedError(f"snapshot: robot {name} is held in it, {one.name} here")
        one.resume(tuple(positions))
        _resume_gated(one.gated, state)
    contacts = {one.name: head["contacts"][one.name] for one in fields(ContactState)}
    contacts["resting"] = tuple((one, other) for one, other in contacts["resting"])
    contacts["touches"] = tuple(
        Touch(**{**one, "pair": (one["pair"][0], one["pair"][1])}) for one in contacts["touches"]
    )
    bench.contacts.resume(ContactState(**contacts))
    seed, step, values = head["sensors"]
    kept = (arrays[f"sensors_{name}"].tobytes() for name in CHAIN)
    bench.sensors.restore(ChainSnapshot(seed, step, tuple(values), *kept))
