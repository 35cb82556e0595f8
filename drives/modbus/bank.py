"""Six CiA 402 drives behind a Modbus gateway, TCP or RTU, as a drive bank.

A cycle is one function-23 request per unit, or several (`drives.modbus.requests`): controlwords,
modes, targets and a sequence number go out, the drives' words and that number come back. A thread
of its own talks to the gateway (`drives.modbus.worker`); `ModbusBank.exchange` waits for it no
longer than its own deadline.

What a cycle without a right answer means: nobody is fresh; silent for longer than the drives' own
watchdog, the legs are UNKNOWN with error 8130h, for the drives have stopped by themselves by then.
An exception answer makes the legs of that unit UNKNOWN in the same cycle, with an error that
carries its number (8101h to 810Bh); only a unit that is busy (6) is asked again. A device that has
restarted is UNKNOWN with error 8180h until the bank is configured anew. A serial port that is gone
raises `LinkLostError`; a TCP connection that is gone is opened again by the next cycle.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from drives.axes.cia402 import Statusword, state_of
from drives.axes.cut_trial import CutTrial
from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale
from drives.axes.sequence import AxesFeedback, SixAxes
from drives.bank import (
    BankEnd,
    BankFeedback,
    BankReport,
    DriveGoal,
    DriveModelError,
    DriveSequenceError,
    DriveSetupError,
    DriveState,
    LinkError,
    LinkLostError,
    LinkTally,
    check_command,
    tally_with_notes,
)
from drives.links import ModbusRtuLink, ModbusTcpLink, lock_modbus
from drives.modbus.codec import AxisAnswer, UnitAnswer, check_rtu_rate
from drives.modbus.counts import ModbusCounts
from drives.modbus.cut import axis_answers, enabled_drives, silence_s
from drives.modbus.cycle import CycleResult, CycleRunner
from drives.modbus.errors import ModbusClosedError, ModbusError, ModbusExceptionError
from drives.modbus.gateway import ModbusGateway, gateway_at
from drives.modbus.register_map import RegisterMap
from drives.modbus.rival import FOREIGN_MASTER, RivalWatch
from drives.modbus.settings import ModbusSettings
from drives.modbus.setup import DeviceReport, DeviceSetup, has_force
from drives.modbus.stage import ModbusStageWriter
from drives.modbus.units import UnitWatch
from drives.modbus.words import LegWords
from drives.modbus.worker import GatewayWorker
from drives.waits import ReportWaits, Wait, ignore_waits
from hil_common.legs import LEG_COUNT, LegTarget, as_six
from hil_common.port_lock import PortLock

_LEGS = range(LEG_COUNT)
ModbusLink = ModbusTcpLink | ModbusRtuLink

GENERIC = 0x1000
"""Error code of a drive in fault that reports none (CiA 301: generic error)."""
SETUP_TIME_MAX_S = 60.0
CLOSE_TIME_MAX_S = 1.0
CLOSE_TRIES = 60
"""Most requests to the drives to let go when the bank is closed."""
CLOSE_PAUSE_S = 0.01
"""Time between two of them [s]."""
STILL_M = 2e-5
"""Distance within which a rod counts as at rest [m]."""
NO_FIRST_MOTION: Final = (
    "no register for the speeds of homing (homing_speed_switch, homing_speed_zero): no slow first "
    "motion; the drives home as fast as is stored in them, which the maker's tool tells"
)


class ModbusBank:
    """Six drives behind a Modbus gateway.

    With a command of None, or before all six legs are enabled, the targets on the wire are the
    actual positions, or the last targets of legs that work: nothing of the caller's is sent.

    Args:
        scales: Scale of each leg, 6.
        url: Address in the record of a run; the link's by default.
        homing_legs: Legs (1 to 6) that homing moves; all if empty.
        cut_m_s: Speed at which the bank shall fall silent once, to see the drives stop by
            themselves [m/s], 0 at rest; None not at all.
        place: Where drives with absolute encoders must be; without it they are never enabled.
        report: Told what `configure` waits for.

    Raises:
        DriveModelError: If the numbers contradict each other, or the line is too slow.
    """

    def __init__(
        self,
        link: ModbusLink,
        map_: RegisterMap,
        scales: Sequence[LegScale],
        period_s: float,
        *,
        settings: ModbusSettings,
        now_s: Callable[[], float],
        name: str = "Modbus drives",
        url: str | None = None,
        homing_legs: Sequence[int] = (),
        cut_m_s: float | None = None,
        place: KnownPlace | None = None,
        report: ReportWaits = ignore_waits,
    ) -> None:
        if len(scales) != LEG_COUNT:
            raise DriveModelError(f"{len(scales)} scales, one per leg is needed: {LEG_COUNT}")
        settings.check_period(period_s)
        self._answer_s = settings.answer_within_s(period_s)
        if isinstance(link, ModbusRtuLink):
            check_rtu_rate(map_, period_s, self._answer_s, link.baud, link.parity, link.stop_bits)
        self._link, self._map = link, map_
        self._settings, self._now_s, self._name = settings, now_s, name
        self._url = link.url if url is None else url
        still = [scale.distance_counts(STILL_M) for scale in scales]
        self._axes = SixAxes(
            period_s,
            still,
            work_mode=settings.mode,
            homing_legs=homing_legs,
            homing_counts_per_s=[s.counts_per_m * settings.homing_speed_m_s for s in scales],
            absolute=settings.absolute,
        )
        self._place = place
        self._stage_writer = ModbusStageWriter(map_, settings, scales, period_s)
        self._scales = tuple(scales)
        self._setup = DeviceSetup(map_, settings, scales, period_s)
        self._runner = CycleRunner(map_, now_s)
        self._cut = None if cut_m_s is None else CutTrial(cut_m_s, settings.watchdog_s, period_s)
        self._silence_s = silence_s(settings.watchdog_s, period_s)
        on_tcp = isinstance(link, ModbusTcpLink)
        self._rivals = RivalWatch(map_, scales, period_s, watches=on_tcp)
        self._gateway: ModbusGateway | None = None
        self._worker: GatewayWorker | None = None
        self._closed = False
        self._words = LegWords(map_, scales, settings.rated_force_n)
        self._report = report
        self._units = UnitWatch(map_, settings.watchdog_s)
        self._lock: PortLock | None = None
        self._counts = ModbusCounts(0, [0] * LEG_COUNT)
        self._end: BankEnd | None = None

    @property
    def waiting(self) -> str:
        """Waits of the goal, leg by leg, or why it was given up; empty if nothing is due."""
        return self._axes.waiting

    def link_report(self) -> ModbusCounts:
        """Return what has happened on the link; the caller does not change it."""
        return self._counts

    def link_tally(self) -> LinkTally:
        """Return what has happened on the link so far, by name."""
        return tally_with_notes(self._counts.tally(), self._axes.failures)

    def configure(self) -> BankReport:
        """Connect, identify the gateway, write the drives' parameters and read them back."""
        if self._closed or self._worker is not None:
            raise DriveSequenceError(f"{self._name}: configure() comes once, before anything else")
        self._lock = lock_modbus(self._link)
        self._gateway = self._open(self._settings.setup_timeout_s)
        self._worker = GatewayWorker(self._gateway, self._now_s, f"{self._name}: gateway")
        self._report((Wait(0, f"the set-up of the drives at {self._url}", "going on", "its end"),))
        done = self._worker.run(self._set_up, SETUP_TIME_MAX_S)
        if done is None or done.value is None:
            self._leave()
            raise self._setup_error(None if done is None else done.error)
        self._gateway.begin_cycles(self._answer_s)
        report = done.value
        self._units.begin(report.boot_counts)
        first = self._settings.first_motion_due(simulated=report.simulated)
        absolute = self._settings.absolute
        blind = first and not absolute and not self._stage_writer.possible
        if first and not absolute and not blind:
            self._axes.expect_first_motion(self._stage_writer.courses())
        return BankReport(
            self._name,
            self._url,
            report.simulated,
            report.axes,
            report.identities,
            notes=(f"{self._map.source}: {NO_FIRST_MOTION}",) if blind else (),
            scale_proved=report.scale_proved,
            counts=self._places(self._worker, report.identities),
            first_motion=first and absolute,
        )

    def _places(self, worker: GatewayWorker, identities: Sequence[str]) -> tuple[int, ...]:
        """Return the counts of drives with absolute encoders, if they are where they should be.

        Raises:
            DrivePlaceError: If they do not.
        """
        if not self._settings.absolute:
            return ()
        done = worker.run(
            lambda gateway: axis_answers(gateway, self._map), self._settings.setup_timeout_s
        )
        if done is None or done.value is None:
            raise self._setup_error(None if done is None else done.error)
        counts = tuple(axis.position for axis in done.value)
        if self._place is not None:
            codes = [axis.error_code for axis in done.value]
            self._place.check(counts, codes, identities, self._scales)
            self._axes.know_place()
        return counts

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal; its words go out with the next cycle."""
        self._require_live("request")
        self._axes.request(goal)

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """Ask every unit once; waits no longer than the answer timeout.

        Raises:
            LinkLostError: If the serial port is gone.
        """
        worker = self._require_live("exchange")
        targets = speeds = None
        if command is not None:
            check_command(command)
            targets, speeds = self._words.counts(command)
        cut = self._cut
        if cut is not None and cut.silent:
            return self._fall_silent(worker, cut)
        words = self._axes.words(targets)
        orders = self._words.orders(words, speeds)
        result = CycleResult()
        began_s = self._now_s()
        if cut is not None:
            cut.led(command, following=self._axes.steady, sent_s=began_s)
        self._units.listen(began_s)
        deadline_s = began_s + self._answer_s

        def cycle(gateway: ModbusGateway) -> None:
            self._rivals.check(gateway, self._runner.written)
            self._runner.run(gateway, orders, deadline_s, result)

        done = worker.run(cycle, self._answer_s)
        if done is not None:
            self._counts.round_trip_s = self._now_s() - began_s
            if done.error is not None:
                raise done.error
        # The worker may still be at it: from here on only what it has brought so far counts.
        answers, errors = dict(result.answers), dict(result.errors)
        self._count(answers, errors, result)
        self._counts.note = self._rivals.found or self._counts.note
        now_s = self._now_s()
        fresh, alive = self._units.take(answers, now_s)
        for leg in self._units.restarted_legs:
            self._axes.forget_reference(leg)
        self._observe(fresh, alive)
        self._write_stage(worker, began_s)
        accepted = self._words.accepted(words, orders) if result.sent else None
        return self._feedback(fresh, [self._units.trouble(leg, errors, now_s) for leg in _LEGS],
                              accepted)  # fmt: skip

    def _fall_silent(self, worker: GatewayWorker, cut: CutTrial) -> BankFeedback:
        """Run a cycle of a cut: nothing is asked before the drives have had their time to stop.

        Any request may count as a sign of life, so that the time that is seen is a bound.
        """
        now_s = self._now_s()
        if cut.silent_s(now_s) > self._silence_s:
            done = worker.run(lambda gateway: enabled_drives(gateway, self._map), self._answer_s)
            enabled = None if done is None else done.value
            cut.see(enabled or (None,) * LEG_COUNT, self._now_s())
        self._count({}, {}, CycleResult())
        fresh, alive = self._units.take({}, now_s)
        self._observe(fresh, alive)
        return self._feedback(fresh, [self._units.trouble(leg, {}, now_s) for leg in _LEGS], None)

    def _write_stage(self, worker: GatewayWorker, began_s: float) -> None:
        """Proceed with sending the drives the speed of a first motion's stage, if one is due.

        One value in a cycle, in what is left of its time; one that takes longer is waited for by
        the next cycle.

        Raises:
            DriveSetupError: If a drive refuses it, or reads back another one.
        """
        stage = self._axes.stage_due
        if stage is None:
            return
        self._stage_writer.begin(stage)
        if not self._stage_writer.is_written:
            left_s = max(0.0, began_s + self._answer_s - self._now_s())
            done = worker.run(self._stage_writer.job(), left_s)
            if done is not None and done.error is not None:
                raise DriveSetupError(f"{self._name}: first motion: {done.error}") from done.error
        if self._stage_writer.is_written:
            self._axes.note_stage_written(stage)

    def close(self) -> BankEnd:
        """Disable the drives and leave the gateway; a second call does nothing."""
        cut_us = self._cut.stop_us if self._cut is not None and self._cut.over else ()
        self._end = self._end or BankEnd(self.link_tally(), cut_us=cut_us)
        if self._worker is not None and not self._closed:
            self._axes.request(DriveGoal.DISABLED)
            orders = self._words.orders(self._axes.words(None), None)
            deadline_s = self._now_s() + CLOSE_TIME_MAX_S
            left = self._powered(CycleResult())

            def sign_off(gateway: ModbusGateway) -> None:
                nonlocal left
                result = CycleResult()
                for _ in range(CLOSE_TRIES):
                    result = CycleResult()
                    self._runner.run(gateway, orders, deadline_s, result)
                    left = self._powered(result)
                    if not left or self._now_s() > deadline_s:
                        break
                    threading.Event().wait(CLOSE_PAUSE_S)
                self._setup.sign_off(gateway, result.answers)

            self._worker.run(sign_off, CLOSE_TIME_MAX_S)
            self._end = replace(self._end, powered=left)
        self._leave()
        return self._end

    def _powered(self, result: CycleResult) -> tuple[str, ...]:
        """Drives whose status register does not prove that they have no force, in words."""
        found: list[str] = []
        for index, unit in enumerate(self._map.units):
            first, share = index * self._map.axes_per_unit + 1, self._map.axes_per_unit
            if unit not in result.answers:
                legs = f"legs {first} to {first + share - 1}" if share > 1 else f"leg {first}"
                why = result.errors.get(unit, "")
                seen = f"it does not answer{f' ({why})' if why else ''}"
                found.append(f"{legs} (unit {unit}): {seen}")
                continue
            for leg, axis in enumerate(result.answers[unit].axes, start=first):
                if has_force(axis.statusword):
                    found.append(f"leg {leg} (unit {unit}): {_state_text(axis.statusword)}")
        return tuple(found)

    def _set_up(self, gateway: ModbusGateway) -> DeviceReport:
        gateway.connect()
        self._rivals.refuse(gateway)
        return self._setup.run(gateway)

    def _open(self, timeout_s: float) -> ModbusGateway:
        # Without an echo, only silence as long as a request's patience proves that none is late.
        quiet_s = 0.0 if self._map.proves_answers else self._answer_s
        return gateway_at(self._link, self._url, timeout_s, quiet_s)

    def _leave(self) -> None:
        self._closed = True
        if self._worker is not None:
            self._worker.stop(CLOSE_TIME_MAX_S)
        if self._lock is not None:
            self._lock.release()

    def _require_live(self, call: str) -> GatewayWorker:
        if self._closed or self._worker is None:
            why = "closed" if self._closed else "not configured: call configure() first"
            raise DriveSequenceError(f"{self._name}: {call}() on a bank that is {why}")
        return self._worker

    def _setup_error(self, error: Exception | None) -> Exception:
        """Return the error by which a failed set-up is reported."""
        if isinstance(error, ModbusClosedError):
            return LinkError(f"{self._name}: {error}")
        if isinstance(error, ModbusError):
            return DriveSetupError(f"{self._name}: set-up failed: {error}")
        if error is not None:
            return error
        text = f"{self._url}: set-up took more than {SETUP_TIME_MAX_S} s"
        return DriveSetupError(f"{self._name}: {text}")

    def _count(
        self, answers: dict[int, UnitAnswer], errors: dict[int, ModbusError], result: CycleResult
    ) -> None:
        """Count what happened; a serial port that is gone ends it here."""
        counts = self._counts
        counts.cycles += 1
        counts.retries += result.retries
        counts.busy += result.busy
        for leg in _LEGS:
            counts.missing[leg] += self._map.unit_of_leg(leg) not in answers
        for error in errors.values():
            counts.note = str(error)
            counts.exceptions += isinstance(error, ModbusExceptionError)
            if isinstance(error, ModbusClosedError) and isinstance(self._link, ModbusRtuLink):
                text = f"{self._name}: {error}; the link is lost until a new start"
                raise LinkLostError(text) from error

    def _observe(self, fresh: list[bool], alive: list[bool]) -> None:
        answers = self._units.answers
        self._axes.observe(
            AxesFeedback(
                [answer.statusword for answer in answers],
                [answer.mode_display for answer in answers],
                [answer.position for answer in answers],
                fresh,
                alive,
            )
        )

    def _feedback(
        self, fresh: list[bool], troubles: list[int], accepted: LegTarget | None
    ) -> BankFeedback:
        answers = self._units.answers
        states, codes = list(self._axes.state), [0] * LEG_COUNT
        judged = [False] * LEG_COUNT
        for leg, trouble in enumerate(troubles):
            codes[leg] = trouble or self._code(leg, states[leg], answers[leg])
            judged[leg] = bool(trouble) or (codes[leg] != 0 and self._judged(leg, answers[leg]))
            if trouble:
                states[leg] = DriveState.UNKNOWN
        length_m, speed_m_s, force_n, inputs = self._words.measured(answers)
        return BankFeedback(
            length_m=length_m,
            speed_m_s=speed_m_s,
            force_n=force_n,
            state=as_six(states),
            # Reported once the drive is disabled again: homing is over then, not before.
            homed=as_six(
                homed and state is not DriveState.HOMING
                for homed, state in zip(self._axes.homed, states, strict=True)
            ),
            fault_code=as_six(codes),
            fresh=as_six(fresh),
            accepted=accepted,
            inputs=inputs,
            waits=() if self._axes.steady else self._axes.waits,
            judged=as_six(judged),
            warning_code=as_six(
                (answer.error_code or GENERIC) if _warns(answer) else 0 for answer in answers
            ),
        )

    def _judged(self, leg: int, answer: AxisAnswer) -> bool:
        return not answer.error_code and self._axes.homing_failed[leg]

    def _code(self, leg: int, state: DriveState, answer: AxisAnswer) -> int:
        if self._rivals.found:
            return FOREIGN_MASTER
        if (answer.error_code and not _warns(answer)) or state is DriveState.FAULT:
            return answer.error_code or GENERIC
        return self._axes.homing_codes[leg]


def _state_text(word: int) -> str:
    state = state_of(word)
    text = "says nothing of its state" if state is None else f"is {state.value}"
    return f"it {text} (statusword 0x{word:04X})"


def _warns(answer: AxisAnswer) -> bool:
    """Whether a drive warns and has no fault: its error code is then that of the warning."""
    return answer.statusword & _WARNING_OR_FAULT == _WARNING


_WARNING = int(Statusword.WARNING)
_WARNING_OR_FAULT = int(Statusword.WARNING | Statusword.FAULT)
