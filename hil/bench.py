"""A run, put together from its plan: rig, motion, gate, drives, clock, recorder, loop.

The same parts run in both clocks; only what paces them and who writes the file differ.
"""

import platform as host
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from drives.bank import BankReport, DriveBank, DriveModelError
from drives.simulated_bank import SimFault, SimulatedBank
from hil.clock import Clock, Tick, VirtualClock, utc_stamp
from hil.gated_bank import GatedBank
from hil.journal import Journal
from hil.loop import Loop, LoopEnd, StopWish
from hil.machine import cylinder_model, gate_limits, geometry_of, park_pose
from hil.motion.build import motion_of
from hil.motion.moves import move
from hil.motion.source import MotionSource
from hil.realtime_setup import RealtimeItem, RealtimeSetup
from hil.recording.frame import EventRecord
from hil.recording.header import RECORDING_NAME, RecordingError, RunHeader
from hil.recording.recorder import Recorder, RecorderResult, RecordingSink
from hil.recording.ring import RecorderStatus, Ring
from hil.rig import Rig
from hil.scenario import Plan
from hil.settings import ConfigError
from hil.signals import StopSignals
from hil.stations.platform import PlatformMachine, PlatformStation
from hil.supervisor import Outcome, Supervisor
from safety.gate import Gate
from safety.limits import GateLimits
from safety.modes import Mode
from safety.verdict import Action, Violation

PATIENCE_S = 10.0
"""How long enabling, settling, a stop, or standstill after a fault may take."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run went; figures are taken from its recording.

    Args:
        outcome: completed, stopped by the operator, tripped, or failed.
        mode: the bench's last mode.
        cycles: cycles run.
        overruns: deadlines given up because a cycle took too long.
        events: changes of mode, violations and notes, in order.
        violations: what the gate objected to, with the time of the run [s].
        recorder: how the recording ended.
        reason: why the run did not complete, empty if it did.
        setup: what the system granted for real time, empty in a dry run.
    """

    outcome: Outcome
    mode: Mode
    cycles: int
    overruns: int
    events: tuple[EventRecord, ...]
    violations: tuple[tuple[float, Violation], ...]
    recorder: RecorderResult
    reason: str
    setup: tuple[RealtimeItem, ...]

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and parked; and the recording is whole."""
        well = self.outcome in (Outcome.COMPLETED, Outcome.STOPPED)
        return well and self.recorder.status is RecorderStatus.DONE


def machine_of(rig: Rig) -> PlatformMachine:
    """The rig's mathematics."""
    geometry = geometry_of(rig)
    return PlatformMachine(geometry, park_pose(rig, geometry), rig.slow_moves.limits())


def bank_of(plan: Plan) -> DriveBank:
    """The drives that a plan names by URL. Only ``sim:`` exists so far.

    Raises:
        ConfigError: if cylinders or faults cannot be simulated as described.
    """
    scenario = plan.scenario
    try:
        return SimulatedBank(
            cylinder_model(plan.rig, scenario.period_s),
            scenario.period_s,
            faults=tuple(
                SimFault(f.kind, f.leg, f.start_s, f.duration_s, f.value) for f in scenario.faults
            ),
            seed=scenario.seed,
            name=plan.rig.name,
            url=scenario.devices.drives,
        )
    except DriveModelError as error:
        raise ConfigError(plan.scenario_file, [str(error)]) from error


def run(
    plan: Plan,
    out: Path,
    *,
    motion: MotionSource | None = None,
    progress: Callable[[float], None] | None = None,
    stop: AbstractContextManager[StopWish] | None = None,
) -> RunResult:
    """Run a plan from power-up to parked, and record it.

    Args:
        plan: scenario and rig.
        out: folder in which this run gets a new folder of its own.
        motion: what to play, if it was built already.
        progress: told the time of the run [s] now and then; only in a dry run, because nothing
            but the cycle belongs into a real-time loop.
        stop: the operator's wish to end; Ctrl-C and SIGTERM if left out.

    Raises:
        ConfigError: if the motion cannot be made.
        RecordingError: if the recording cannot be begun; nothing has moved.
        DriveError: if the drives cannot be configured; nothing has moved.
    """
    period_s = plan.scenario.period_s
    motion = motion or motion_of(plan)
    limits = gate_limits(plan.rig, period_s)
    gated = GatedBank(Gate(limits), bank_of(plan))
    supervisor = _supervisor(plan)
    station = PlatformStation(machine_of(plan.rig), motion, supervisor, period_s)
    with ExitStack() as stack:
        # Entered first, so left last: a second Ctrl-C does not tear the end of the recording.
        wish = stack.enter_context(stop or StopSignals())
        stack.callback(gated.close)
        report = gated.open()
        header = _header(plan, limits, report)
        sink = _sink(plan, new_run_dir(out, plan.scenario.name), header)
        stack.callback(sink.finish)
        clock, setup = stack.enter_context(_clock(plan, progress))
        journal = Journal(sink)
        loop = Loop(
            clock,
            period_s,
            station,
            supervisor,
            gated,
            journal,
            wish,
            stop_on_overrun=plan.scenario.overruns == "stop",
        )
        end = loop.run()
    recorded = sink.finish()
    sink.ring.release()
    return RunResult(
        outcome=_outcome(end, supervisor),
        mode=end.mode,
        cycles=end.cycles,
        overruns=end.overruns,
        events=tuple(journal.events),
        violations=tuple(journal.violations),
        recorder=recorded,
        reason=_reason(end, supervisor) or recorded.problem,
        setup=setup,
    )


def new_run_dir(out: Path, name: str) -> Path:
    """A new folder for one run, ``<scenario>-<UTC time>``; an existing one is never used again.

    Raises:
        RecordingError: if it cannot be made.
    """
    stem = f"{name}-{utc_stamp()}"
    for attempt in range(1000):
        folder = out / (stem if attempt == 0 else f"{stem}-{attempt}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not out.is_dir():
                raise RecordingError(f"{out}: is a file; a folder for runs is needed") from None
            continue
        except OSError as error:
            raise RecordingError(f"{folder}: cannot be made: {error.strerror}") from None
        return folder
    raise RecordingError(f"{out}: has a thousand runs named {stem} already")


def expected_duration_s(plan: Plan, motion: MotionSource) -> float:
    """About how long the run takes: homing and enabling, rise, motion, parking [s]."""
    machine = machine_of(plan.rig)
    first, last = motion.sample(0.0).X_BP, motion.sample(motion.duration_s).X_BP
    rise = move(machine.park, first, machine.slow_moves).duration_s
    park = move(last, machine.park, machine.slow_moves).duration_s
    return 1.0 + plan.rig.cylinders.enable_time_s + rise + motion.duration_s + park


def _supervisor(plan: Plan) -> Supervisor:
    period_s, cylinders = plan.scenario.period_s, plan.rig.cylinders
    homing_s = max(cylinders.stroke_m) / cylinders.homing_speed_m_s
    patience_s = PATIENCE_S + cylinders.enable_time_s
    return Supervisor(round(patience_s / period_s), round((patience_s + homing_s) / period_s))


def _sink(plan: Plan, folder: Path, header: RunHeader) -> RecordingSink:
    settings = plan.scenario.recording
    path, least = folder / RECORDING_NAME, round(settings.min_free_mb * 1e6)
    if plan.scenario.clock == "virtual":
        return Recorder(Ring.local(settings.ring_slots), path, header, min_free_bytes=least)
    from hil.recording.process import RecorderProcess  # Linux only

    return RecorderProcess(Ring.shared(settings.ring_slots), path, header, min_free_bytes=least)


@contextmanager
def _clock(
    plan: Plan, progress: Callable[[float], None] | None
) -> Iterator[tuple[Clock, tuple[RealtimeItem, ...]]]:
    """The clock of the plan, with whatever real time needs prepared around it."""
    if plan.scenario.clock == "virtual":
        yield (_Watched(VirtualClock(), progress) if progress else VirtualClock()), ()
        return
    from hil.realtime import RealClock  # Linux only

    with RealtimeSetup() as granted:
        yield RealClock(), granted.items


class _Watched:
    """A clock that tells someone the time every few hundred ticks."""

    EVERY = 250

    def __init__(self, clock: Clock, progress: Callable[[float], None]) -> None:
        self._clock = clock
        self._progress = progress

    @property
    def overruns(self) -> int:
        return self._clock.overruns

    def now_s(self) -> float:
        return self._clock.now_s()

    def ticks(self, period_s: float) -> Iterator[Tick]:
        for tick in self._clock.ticks(period_s):
            if tick.index % self.EVERY == 0:
                with suppress(OSError):  # a terminal that has gone is no reason to stop
                    self._progress(tick.t_s)
            yield tick


def _header(plan: Plan, limits: GateLimits, report: BankReport) -> RunHeader:
    """What a reader must know to judge the run; nothing in it depends on the time of day."""
    scenario = plan.scenario
    return RunHeader(
        modes=tuple(mode.name for mode in Mode),
        actions=tuple(action.name for action in Action),
        metadata={
            "scenario": scenario.name,
            "rig": plan.rig.name,
            "clock": scenario.clock,
            "rate_hz": repr(scenario.rate_hz),
            "seed": str(scenario.seed),
            "drives": f"{'SIMULATED ' if report.simulated else ''}{report.name} ({report.url})",
            "axes": "; ".join(report.axes),
            "limits_sha256": limits.digest(),
            "versions": ", ".join(f"{name} {_version(name)}" for name in VERSIONED),
            "python": host.python_version(),
        },
        scenario=plan.model_dump(mode="json"),
    )


VERSIONED = ("hil-bench", "numpy", "scipy", "numba", "ruckig", "mcap")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _outcome(end: LoopEnd, supervisor: Supervisor) -> Outcome:
    return Outcome.FAILED if end.failure is not None else supervisor.outcome


def _reason(end: LoopEnd, supervisor: Supervisor) -> str:
    if end.failure is not None:
        return f"{type(end.failure).__name__}: {end.failure}"
    return supervisor.reason
