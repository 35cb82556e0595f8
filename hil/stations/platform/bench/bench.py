"""Run of the platform, assembled from its plan: rig, motion, gate, drives, clock, recorder, loop.

The same parts run in both clocks; only what paces them and who writes the file differ.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path

from drives.axes.known_place import SENSOR_FAULT
from drives.bank import (
    BankReport,
    DriveBank,
    DriveEncoderError,
    DriveError,
    DriveModelError,
)
from hil.config.errors import ConfigError, MotionError
from hil.machines.rig.drive_reference import place_path, void_reference
from hil.machines.rig.machine import gate_limits, geometry_of, park_pose
from hil.recording.events import Level
from hil.recording.header import RunHeader
from hil.recording.recorder import RecordingSink
from hil.run.console import Console
from hil.run.end import Conclusion
from hil.run.run import BLACK_BOX_NAME, Opening, conduct
from hil.stations.platform.bench.header import HOLDS, foreign_code, run_header
from hil.stations.platform.bench.run_sequence import (
    WHOLE_COURSE,
    PreparedPlan,
    RunResult,
    RunSequence,
)
from hil.stations.platform.cycle.control import PlatformMachine, PlatformStation
from hil.stations.platform.cycle.gated_bank import GatedBank, GatedDrives
from hil.stations.platform.cycle.journal import PlatformJournal
from hil.stations.platform.cycle.loop import Loop, LoopEnd
from hil.stations.platform.cycle.powered_drives import power_events, powered_line
from hil.stations.platform.cycle.supervisor import Outcome, RunCourse, Supervisor
from hil.stations.platform.cycle.waits import GOES_ON, Announcer
from hil.stations.platform.drives.certificate import require_certificate, require_parked
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.gate.black_box import complaint
from hil.stations.platform.gate.spec import build_bank
from hil.stations.platform.lead.assembly import (
    Leading,
    journal_of,
    led_run,
    parking_proof,
    prepare,
    warm_parking,
)
from hil.stations.platform.lead.extension import Extension
from hil.stations.platform.motion.moves import move
from hil.stations.platform.motion.source import MotionSource
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import LegMovesSettings, Plan
from hil.timing.clock import Clock, ReportingClock, Tick, VirtualClock
from hil.timing.neighbours import neighbours
from hil.timing.realtime_setup import RealtimeItem, RealtimeSetup
from hil.timing.stop import StopRequest
from safety.gate import Gate
from safety.limits import GateLimits
from safety.verdict import Check, Violation

BEFORE = Tick(0, 0.0, 0.0, 0.0)
"""Tick of events that were found before the first cycle."""
PATIENCE_S = 10.0
"""Longest time of enabling, settling, a stop, or standstill after a fault [s]."""
FIRST_PATH = (
    "the first rise begins with 0.2 mm at 0.1 mm/s and 2 mm at 1 mm/s, out and back: drives with "
    "absolute encoders show in it what they make of a way and a time"
)
"""Notice to a person about a first motion that is made by setpoints."""
WAITS = "the bench waits for an operator: hil panel; Ctrl-C stops, parks and ends it"
"""Notice to a person once panels can find the run."""
FIRST_MOTION_S = 15.0
"""Additional time of homing for its slow first stages [s]."""
PROGRESS_TICKS = 250
"""Number of ticks of which one is shown."""


def machine_of(plan: Plan) -> PlatformMachine:
    """Kinematics of the rig; legs that are led slowly are also parked as slowly."""
    rig, motion = plan.rig, plan.scenario.motion
    geometry, slow = geometry_of(rig), rig.slow_moves.limits()
    if isinstance(motion, LegMovesSettings):
        slow = slow.scaled(motion.speed)
    return PlatformMachine(geometry, park_pose(rig, geometry), slow)


def bank_of(plan: Plan, course: RunSequence = WHOLE_COURSE) -> DriveBank:
    """Bank of drives that a plan names by URL, for a gate in this process.

    Raises:
        ConfigError: if the drives cannot be as described.
    """
    spec = bank_spec(plan, course.request)
    try:
        return build_bank(spec, VirtualClock().now_s)
    except DriveModelError as error:
        raise ConfigError(plan.scenario_file, [str(error)]) from error


def run(
    plan: Plan,
    out: Path,
    *,
    motion: MotionSource | None = None,
    stop: AbstractContextManager[StopRequest] | None = None,
    course: RunSequence = WHOLE_COURSE,
    operator: bool = False,
    extension: Extension | None = None,
    console: Console | None = None,
) -> RunResult:
    """Run a plan from power-up to parked, and record it.

    Args:
        out: parent folder of the run's own new folder.
        motion: motion to play, if it was built already.
        stop: operator's stop request; left out, Ctrl-C and SIGTERM.
        course: extent of the run; an operator decides that himself.
        operator: whether a person leads the run, by panels that find its desk; real clock only.
        extension: additions of another station to the run.
        console: takes the progress; left out, it is not shown.

    Raises:
        ConfigError: if the motion cannot be made, or nobody could lead the run in its clock.
        Otherwise as `play_plan`.
    """
    motion = motion or motion_of(plan, whole=plan.scenario.checks_first)
    prepared = PreparedPlan(plan, motion, course, extension)
    virtual = prepared.clock == "virtual"
    opening = Opening(
        prepared.name, out, virtual=virtual, stop=stop, operator=operator, console=console
    )
    return conduct(partial(play_plan, prepared), opening)


def play_plan(prepared: PreparedPlan, opening: Opening) -> Callable[[Conclusion], RunResult]:
    """Play a plan from power-up to parked within an opening.

    Raises:
        NoDeskError: if the operator's desk cannot be set up; nothing has moved.
        NotCommissionedError: if real drives have not passed their test move; nothing has moved.
        NotReferencedError: if nobody has measured where absolute encoders count from, or the legs
            are not where a fast run may begin; nothing has moved.
        RecordingError: if the recording cannot be begun; nothing has moved.
        DriveError: if the drives cannot be configured; nothing has moved.
    """
    plan, extension, virtual = prepared.plan, prepared.extension, opening.virtual
    limits = gate_limits(plan.rig, plan.scenario.period_s, wired=plan.drives_url != "sim:")
    if opening.operator:
        prepare(plan)
    say = None if opening.console.quiet else opening.enter(Announcer(opening.console.say))
    say_live = None if virtual else say
    beside = [] if virtual else opening.enter(neighbours())
    gated, clock = _gate(prepared, opening, limits, say)
    opening.at_end(gated.close)
    companion = None if extension is None else opening.enter(extension.open(clock.now_s))
    report = _ready(plan, gated, prepared.course, say_live)
    foreign = foreign_code(plan, prepared.motion)
    header = run_header(opening, clock, plan, limits, report, foreign, extension)
    sink = opening.record(plan.scenario.recording, header, HOLDS)
    journal, station, supervisor = _assemble_control(prepared, opening, header, sink, clock)
    opening.date(journal, clock)
    journal.say = say
    if companion is not None:
        companion.note = journal.note
    setup = opening.grant(_granted)
    loop = Loop(
        clock, plan.scenario.period_s, station, supervisor, gated, journal, opening.stop_request,
        stop_on_overrun=plan.scenario.overruns == "stop", report=say, companion=companion,
    )  # fmt: skip
    _note_before(report, prepared.course, station, journal, say)
    if say_live is not None:
        say_live(WAITS if opening.operator else "the run begins")
    opening.play(loop, journal)
    end = loop.end
    lost = "" if virtual else complaint(opening.folder / BLACK_BOX_NAME)
    outcome = _conclude(opening, end, supervisor, journal, lost)
    _void_if_lost(plan, journal.violations)
    return lambda conclusion: RunResult(
        outcome=outcome, mode=end.mode, cycles=end.cycles, overruns=end.overruns,
        events=tuple(journal.events), violations=tuple(journal.violations), end=conclusion,
        setup=setup, drives=report, homed=journal.homed, link=end.link, gate_record=lost,
        beside=tuple(beside),
    )  # fmt: skip


def _assemble_control(
    prepared: PreparedPlan,
    opening: Opening,
    header: RunHeader,
    sink: RecordingSink,
    clock: Clock,
) -> tuple[PlatformJournal, PlatformStation, RunCourse]:
    """Control of a run, led by an operator or by itself, and its journal."""
    plan, motion, extension = prepared.plan, prepared.motion, prepared.extension
    if opening.operator:
        patience, machine = _patience_cycles(plan), machine_of(plan)
        parts = Leading(plan, machine, motion, patience, clock.now_s, extension)
        return opening.enter(led_run(parts, header, sink))
    journal = journal_of(sink, plan.rig, extension)
    return journal, *_assemble_unattended(opening, plan, motion, prepared.course)


def _assemble_unattended(
    opening: Opening, plan: Plan, motion: MotionSource, course: RunSequence
) -> tuple[PlatformStation, RunCourse]:
    """Control of a run without operator; in real time panels are shown that it runs."""
    if plan.scenario.clock == "real":
        from hil.desk.unattended_runs import announced  # Linux only

        opening.enter(announced(plan.scenario.name))
    return _supervised(plan, motion, course)


def _ready(
    plan: Plan, gated: GatedDrives, course: RunSequence, say: Callable[[str], None] | None
) -> BankReport:
    """Power the drives up, and require the proofs that a run needs."""
    report = _opened(plan, gated)
    if say is not None:
        say(f"the drives are set up, the run is prepared {GOES_ON}")
    if course.engage:  # homing alone is slow, and comes before a test move can be made
        require_certificate(plan, report)
    require_parked(plan, report)
    return report


def _conclude(
    opening: Opening, end: LoopEnd, supervisor: RunCourse, journal: PlatformJournal, lost: str
) -> Outcome:
    """Record how the drives were left; returns how the run ended.

    Args:
        lost: fault of the gate's own record; empty if there is none.
    """
    for event in power_events(end.link, end.tick):
        journal.event(event)
    powered, reason = powered_line(end.link), _reason(end, supervisor)
    failed = end.failure is not None or bool(powered)
    outcome = Outcome.FAILED if failed else supervisor.outcome
    opening.conclude(
        outcome.value,
        well=outcome in (Outcome.COMPLETED, Outcome.STOPPED),
        reason=reason or powered,
        failures=tuple(filter(None, (powered if reason else "", lost))),
    )
    return outcome


def _note_before(
    report: BankReport,
    course: RunSequence,
    station: PlatformStation,
    journal: PlatformJournal,
    say: Callable[[str], None] | None,
) -> None:
    """Record and show reports of the drives' setup, which came before the first cycle."""
    for note in report.notes:
        journal.note(BEFORE, note, Level.WARNING)
        if say is not None:
            say(note)
    if report.first_motion:
        station.expect_first_motion()
        journal.note(BEFORE, FIRST_PATH, Level.INFO)
        if say is not None and course.engage:
            say(FIRST_PATH)


def expected_duration_s(plan: Plan, motion: MotionSource) -> float:
    """Approximate duration of the run: homing and enabling, rise, motion, parking [s]."""
    machine = machine_of(plan)
    first = last = motion.sample(0.0).X_BP
    with suppress(MotionError):  # of a motion that breaks off
        last = motion.sample(motion.duration_s).X_BP
    rise = move(machine.park, first, machine.slow_moves).duration_s
    park = move(last, machine.park, machine.slow_moves).duration_s
    return 1.0 + plan.rig.cylinders.enable_time_s + rise + motion.duration_s + park


def _opened(plan: Plan, gated: GatedDrives) -> BankReport:
    """Power the drives up; an encoder that reports a fault makes its reference void."""
    try:
        return gated.open()
    except DriveEncoderError as error:
        void_reference(plan.rig, str(error))
        raise


def _void_if_lost(plan: Plan, violations: Iterable[tuple[float, Violation]]) -> None:
    """Make the reference void if the encoder of a drive has reported a fault in the run."""
    if plan.rig.drives.homing != "absolute":
        return
    for _, found in violations:
        if found.check is Check.DRIVE and int(found.value) & 0xFF00 == SENSOR_FAULT:
            void_reference(plan.rig, f"leg {found.leg}: its encoder told fault {found.value:04X}h")


def _patience_cycles(plan: Plan) -> tuple[int, int]:
    """Longest stop, and longest homing, in cycles."""
    period_s, cylinders = plan.scenario.period_s, plan.rig.cylinders
    homing_s = FIRST_MOTION_S + max(cylinders.stroke_m) / cylinders.homing_speed_m_s
    patience_s = PATIENCE_S + cylinders.enable_time_s
    return round(patience_s / period_s), round((patience_s + homing_s) / period_s)


def _supervisor(plan: Plan, course: RunSequence) -> Supervisor:
    period_s = plan.scenario.period_s
    return Supervisor(*_patience_cycles(plan), engage=course.engage, period_s=period_s)


def _supervised(
    plan: Plan, motion: MotionSource, course: RunSequence
) -> tuple[PlatformStation, RunCourse]:
    """Control that runs by itself from power-up to parked."""
    supervisor, machine = _supervisor(plan, course), machine_of(plan)
    if plan.scenario.clock == "real":
        warm_parking(plan, machine)
    parking = parking_proof(plan, machine)
    station = PlatformStation(machine, motion, supervisor, plan.scenario.period_s, parking)
    if course.homing_legs:
        station.end_when_homed(course.homing_legs)
    return station, supervisor


def _gate(
    prepared: PreparedPlan,
    opening: Opening,
    limits: GateLimits,
    say: Callable[[str], None] | None,
) -> tuple[GatedDrives, Clock]:
    """Drives behind their gate, and the clock of the loop.

    In a dry run the gate works in this thread. In real time it is a process of its own, which
    owns the link and keeps the time; the loop follows its cycles.
    """
    plan, led = prepared.plan, opening.operator
    report = opening.progress(prepared.total_s, hint="Ctrl-C stops and parks")
    if opening.virtual:
        clock = VirtualClock()
        gated = GatedBank(Gate(limits, led=led), bank_of(plan, prepared.course), clock.now_s)
        return gated, (ReportingClock(clock, report, PROGRESS_TICKS) if report else clock)
    from hil.stations.platform.gate.remote import RemoteGate  # Linux only
    from hil.timing.realtime import RealClock

    spec = bank_spec(plan, prepared.course.request)
    box = opening.folder / BLACK_BOX_NAME
    now_s = RealClock().now_s
    place = place_path(plan.rig) if plan.rig.drives.homing == "absolute" else None
    remote = RemoteGate(spec, limits, now_s, black_box=box, place_file=place, led=led, report=say)
    return remote, remote.clock


@contextmanager
def _granted() -> Iterator[tuple[RealtimeItem, ...]]:
    """Settings for real time that the system grants to this process."""
    with RealtimeSetup() as granted:
        yield granted.items


def _reason(end: LoopEnd, supervisor: RunCourse) -> str:
    if end.failure is None:
        return supervisor.reason
    if isinstance(end.failure, DriveError):
        return str(end.failure)
    return f"{type(end.failure).__name__}: {end.failure}"
