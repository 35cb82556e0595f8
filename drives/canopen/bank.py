"""Six CANopen drives as a bank: the cycle owns the bus, and everything else waits for it.

A cycle writes six RPDOs and SYNC in one go and waits for six TPDOs. Whatever else comes is noted
or handed to the service traffic. Nothing repeats a setpoint or feeds a watchdog but a cycle that
really runs: no timer, no thread, no cyclic job of an adapter.

The target on the wire is the actual position of a drive until all six are enabled, then the
command of the cycle, or the last one when a cycle has none: `exchange(None)` puts no position
setpoint of the caller on the wire, and its feedback says so.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.axes.cia402 import WITH_FORCE, state_of
from drives.axes.known_place import KnownPlace
from drives.axes.scaling import LegScale, SixScales
from drives.axes.sequence import SequenceTimes, SixAxes
from drives.axes.values import AxesFeedback
from drives.bank import (
    BankEnd,
    BankFeedback,
    BankReport,
    DriveError,
    DriveGoal,
    DriveSequenceError,
    DriveSetupError,
    LinkTally,
    check_command,
    tally_with_notes,
)
from drives.bus_budget import check_budget
from drives.can.frames import FrameBus
from drives.canopen.codes import DriveCodes
from drives.canopen.command import accepted, counts_of
from drives.canopen.cut import CanopenCut
from drives.canopen.cycle import (
    DOUBLE_WINDOW_CYCLES,
    DOUBLES_MIN,
    NONE_JUDGED,
    PdoInbox,
)
from drives.canopen.exchange import BusReport, CycleBus
from drives.canopen.pdo import budget, usable_stamp
from drives.canopen.power import PowerProof
from drives.canopen.readings import DriveReadings
from drives.canopen.service import SDO_TIMEOUT_S, Segment, ServiceNode
from drives.canopen.settings import CanopenSettings, check_watchdogs
from drives.canopen.stage import CanopenStageWriter
from drives.canopen.startup import begin_to_leave, configure_nodes, leave_nodes, read_places
from drives.canopen.warnings import DriveWarnings
from drives.canopen.watch import Watch
from drives.waits import ReportWaits, ignore_waits
from hil_common.legs import LEG_COUNT, LegTarget, SixInts

STILL_M = 1e-4
"""Distance within which a leg counts as at rest [m]."""
STILL_S = 0.1
"""Time for which it has to stay there [s]."""
STIRS_M = 1e-5
"""Distance from one question to the next above which a leg is not at rest [m]."""
PROOF_S = 1.0
"""Longest time in which drives are switched off by SDO that are not received by PDO [s].

Meanwhile heartbeat and SYNC run on, so that the watchdog of a silent drive acts this much later: a
stop by SDO is gentler than that by the watchdog, and nothing moves any more when a bank is closed.
"""
CLOSE_S = 0.5
"""Longest time that the drives have to let go when the bank is closed [s]."""


class CanopenBank:
    """Six drives on one or more CANopen buses.

    Args:
        buses: The buses, open; each belongs to this bank from now on.
        scales: Scale of each leg, 6.
        homing_legs: Legs (1 to 6) that homing moves; all if empty.
        cut_m_s: Speed at which the bank shall fall silent once, to see the drives stop by
            themselves [m/s], 0 at rest; None not at all.
        place: Where drives with absolute encoders must be; without it they are never enabled.
        report: Told now and then what `configure` waits for.

    Raises:
        DriveSetupError: If the buses do not fit the settings, or do not carry the cycle, or if the
            drives' watchdogs are too quick for it.
    """

    def __init__(
        self,
        buses: Sequence[FrameBus],
        settings: CanopenSettings,
        scales: Sequence[LegScale],
        period_s: float,
        *,
        now_s: Callable[[], float],
        name: str = "CANopen drives",
        url: str = "",
        homing_legs: Sequence[int] = (),
        cut_m_s: float | None = None,
        place: KnownPlace | None = None,
        report: ReportWaits = ignore_waits,
    ) -> None:
        if len(buses) != settings.buses:
            text = f"{url}: {len(buses)} buses are open, bus_of_leg {settings.bus_of_leg} "
            raise DriveSetupError(f"{text}needs {settings.buses}")
        if len(scales) != LEG_COUNT:
            raise DriveSetupError(
                f"{url}: {len(scales)} scales, one per leg is needed: {LEG_COUNT}"
            )
        check_watchdogs(settings, period_s, url)
        check_budget(budget(settings, period_s), 1.0 / period_s, settings.bus_load_max, url)
        self._settings, self._scales, self._period_s = settings, SixScales(scales), period_s
        self._now_s, self._name, self._url, self._report = now_s, name, url, report
        self._segments = tuple(Segment(bus, now_s) for bus in buses)
        self._nodes = tuple(
            ServiceNode(node, self._segments[bus])
            for node, bus in zip(settings.node_ids, settings.bus_of_leg, strict=True)
        )
        self._watch = Watch(
            settings.node_ids,
            settings.bus_of_leg,
            settings.master_id,
            settings.heartbeat_producer_s,
        )
        self._axes = _make_axes(settings, scales, period_s, homing_legs)
        self._place = place
        self._stage_writer = CanopenStageWriter(
            self._nodes, settings, self._scales.scales, period_s
        )
        stamp = usable_stamp(settings, period_s)
        self._inbox = PdoInbox(settings, self._scales, self._watch.take, stamp, period_s)
        self._bus = CycleBus(
            self._segments, self._inbox, settings, period_s, url, self._watch.asked
        )
        self._cut = (
            None if cut_m_s is None else CanopenCut(cut_m_s, self._nodes, settings, period_s)
        )
        self._warnings = DriveWarnings(self._segments, settings, self._watch)
        self._readings = DriveReadings(self._nodes, settings.type.readings)
        self._codes = DriveCodes(self._watch, self._axes, self._bus, settings)
        self._configured = self._closing = self._closed = False
        self._end: BankEnd | None = None
        self._cycle_thread = 0
        for bus, segment in enumerate(self._segments):
            segment.on_frame = self._inbox.listener(bus, now_s)

    @property
    def waiting(self) -> str:
        """Waits of the goal, leg by leg, in words; empty if nothing is due."""
        return self._axes.waiting

    def configure(self) -> BankReport:
        """Look for the drives, write their parameters, read them back; they end disabled.

        Raises:
            DriveSetupError: With leg, node, object and both values; also if somebody else commands
                the bus, or a drive does not answer in time.
            LinkLostError: If an adapter is gone.
        """
        if self._configured or self._closed:
            raise DriveSequenceError(f"{self._name}: configure() comes once, before anything else")
        configured = configure_nodes(
            self._segments,
            self._nodes,
            self._settings,
            self._scales.scales,
            self._period_s,
            self._watch,
            self._report,
        )
        now_s = self._now_s()
        identities = configured.identities
        self._scales = SixScales(
            [
                replace(scale, speed_unit=identity.units.speed)
                for scale, identity in zip(self._scales.scales, identities, strict=True)
            ]
        )
        self._inbox.know_scales(self._scales)
        for leg, identity in enumerate(identities):
            if identity.inputs is not None:
                self._inbox.know_inputs(leg, identity.inputs, now_s)
        self._bus.guard([identity.guarded for identity in identities], self._settings)
        self._stage_writer.know_units([identity.units for identity in identities])
        counts, codes = read_places(self._nodes) if self._settings.absolute else ((), ())
        for segment in self._segments:
            segment.pumping = False
        self._watch.begin_operation(now_s)
        self._configured = True
        simulated = all(identity.simulated for identity in identities)
        first = self._settings.first_motion_due(simulated=simulated)
        if first and not self._settings.absolute:
            self._axes.expect_first_motion(self._stage_writer.courses())
        who = tuple(identity.who for identity in identities)
        if self._place is not None:
            self._place.check(counts, codes, who, self._scales.scales)
            self._axes.know_place()
        return BankReport(
            self._name,
            self._url,
            simulated,
            configured.lines,
            who,
            configured.notes,
            scale_proved=tuple(identity.scale_proved for identity in identities),
            counts=counts,
            first_motion=first and self._settings.absolute,
        )

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal; the words of the next cycle begin with it."""
        self._require_live("request")
        self._axes.request(goal)

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """Run one bus cycle.

        Args:
            command: Setpoints of this cycle; only drives that are all enabled get them.

        Raises:
            DriveCommandError: If the command is no twelve finite numbers, or no 32-bit counts stand
                for them; nothing was sent.
            DriveSequenceError: If the bank is not configured, or closed.
            LinkLostError: If an adapter is gone or off the bus.
        """
        self._require_live("exchange")
        self._cycle_thread = threading.get_ident()
        targets = speeds = None
        if command is not None:
            check_command(command)
            with_speeds = self._settings.speed_feed_forward
            targets, speeds = counts_of(command, self._scales, with_speeds=with_speeds)
        self._bus.drain()
        cut = self._cut
        if cut is not None and cut.trial.silent:
            return self._fall_silent(cut)
        words = self._axes.words(targets)
        now_s = self._bus.exchange(words, speeds)
        warnings = self._warnings.codes(self._inbox.statusword)
        self._readings.step(now_s, ask=not self._closing)
        high = self._readings.high
        if cut is not None:
            cut.trial.led(command, following=self._axes.steady, sent_s=self._bus.sent_s)
        well = self._observe(now_s)
        stage = self._axes.stage_due
        if stage is not None and self._stage_writer.write(stage):
            self._axes.note_stage_written(stage)
        sent = accepted(words, speeds, self._scales)
        states = self._axes.state
        if well and self._axes.steady:
            homed = self._axes.homed
            return self._inbox.feedback(
                states, homed, _NO_CODES, sent, (), NONE_JUDGED, warnings, high
            )
        codes, judged = self._codes.of_cycle(now_s, states)
        homed, waits = self._axes.homed, self._axes.waits
        return self._inbox.feedback(states, homed, codes, sent, waits, judged, warnings, high)

    def _fall_silent(self, cut: CanopenCut) -> BankFeedback:
        """Run a cycle of a cut: nothing is sent but requests for the statusword."""
        cut.ask()
        now_s = self._bus.listen()
        self._readings.step(now_s, ask=False)
        cut.check(now_s)
        self._observe(now_s)
        states = self._axes.state
        codes, judged = self._codes.of_cycle(now_s, states)
        homed, waits = self._axes.homed, self._axes.waits
        return self._inbox.feedback(states, homed, codes, None, waits, judged)

    def read_object(self, leg: int, index: int, sub: int = 0) -> bytes:
        """Read an object of a drive beside the cycle; blocks its thread, never the cycle.

        Args:
            leg: Leg number, 1 to 6.

        Returns:
            Its bytes.

        Raises:
            DriveError: If the drive refuses, or does not answer in time.
            DriveSequenceError: If it is called by the thread of the cycle, or out of operation.
        """
        self._require_live("read_object")
        if threading.get_ident() == self._cycle_thread:
            text = "read_object() waits for answers that a cycle brings: call it in another thread"
            raise DriveSequenceError(f"{self._name}: {text} than the cycle's")
        place = f"leg {leg} (node {self._settings.node_ids[leg - 1]}): {index:04X}h:{sub}"
        try:
            return self._nodes[leg - 1].read(index, sub)
        except (SdoAbortedError, SdoCommunicationError) as error:
            raise DriveError(f"{place}: {error}") from error

    def link_report(self) -> BusReport:
        """Return the counts of the bus so far."""
        foreign = (self._watch.foreign,) if self._watch.foreign else ()
        notes = foreign + tuple(notes.note for notes in self._watch.nodes)
        return self._bus.report(self._watch.unknown_ids, notes)

    def link_tally(self) -> LinkTally:
        """Return the counts of the bus so far, by name."""
        return tally_with_notes(self.link_report().tally(), self._axes.failures)

    def close(self) -> BankEnd:
        """Disable the drives, make them pre-operational, leave the bus; never raises."""
        if self._end is None:
            cut = None if self._cut is None else self._cut.trial
            cut_us = cut.stop_us if cut is not None and cut.over else ()
            self._end = BankEnd(self.link_tally(), cut_us=cut_us)
            try:
                if self._configured:
                    left_m, powered = self._let_go()
                    self._end = replace(self._end, left_m=left_m, powered=powered)
            except DriveError as error:  # a dead link: the drives' own watchdogs stop them
                self._end = replace(self._end, powered=(f"legs 1 to {LEG_COUNT}: {error}",))
            finally:
                self._closed = True
                self._bus.shutdown()
        return self._end

    def _let_go(self) -> tuple[tuple[float, ...], tuple[str, ...]]:
        """Disable the drives and sign them off; SYNC, setpoints and heartbeat continue until then.

        Returns:
            Lengths at which absolute encoders are at rest, and the drives not proved to be off.
        """
        self._axes.request(DriveGoal.DISABLED)
        self._closing = True
        self._cycle_until(
            lambda: all(
                self._unpowered(leg) or not self._receiving(leg) for leg in range(LEG_COUNT)
            ),
            CLOSE_S,
        )
        self._cycle_until(lambda: not self._readings.busy, SDO_TIMEOUT_S)
        left = {leg: self._nodes[leg] for leg in range(LEG_COUNT) if not self._unpowered(leg)}
        proof = PowerProof(left, self._now_s, PROOF_S)
        if left:
            self._cycle_until(proof.settled, PROOF_S)
        proved = [leg not in left or leg in proof.unpowered for leg in range(LEG_COUNT)]
        asked = begin_to_leave(self._nodes, proved)
        self._cycle_until(lambda: all(node.answered for node in asked), SDO_TIMEOUT_S)
        leave_nodes(self._segments, asked)
        return self._standstill_m() if self._settings.absolute else (), proof.powered

    def _standstill_m(self) -> tuple[float, ...]:
        """Ask drives for the lengths of their legs [m]; empty if one moves or does not answer.

        By SDO: a drive that has lost the bench may have left operational, and sends no PDO then.
        """
        for segment in self._segments:
            segment.pumping = True
        try:
            (before, _), (after, _) = read_places(self._nodes), read_places(self._nodes)
        except DriveSetupError:
            return ()
        lengths_m = [
            (scale.length_m(one), scale.length_m(other))
            for scale, one, other in zip(self._scales.scales, before, after, strict=True)
        ]
        if any(abs(one_m - other_m) > STIRS_M for one_m, other_m in lengths_m):
            return ()
        return tuple(length_m for _, length_m in lengths_m)

    def _cycle_until(self, condition: Callable[[], bool], span_s: float) -> None:
        """Run cycles by itself, at most for so long [s]."""
        end_s = self._now_s() + span_s
        while self._now_s() < end_s:
            cycle_end_s = self._now_s() + self._period_s
            self.exchange(None)
            if condition():
                break
            self._bus.rest(cycle_end_s)

    def _receiving(self, leg: int) -> bool:
        return self._watch.alive(leg, self._now_s())

    def _unpowered(self, leg: int) -> bool:
        """Say whether a drive proves in this very cycle that it has no force.

        Its power state alone counts: a drive in Operation enabled that follows nobody (bit 12
        clear) is powered, and so is one whose statusword means nothing.
        """
        state = state_of(self._inbox.statusword[leg])
        proved = state is not None and state not in WITH_FORCE
        return proved and self._inbox.fresh[leg] and self._receiving(leg)

    def _require_live(self, call: str) -> None:
        if self._closed or not self._configured:
            why = "closed" if self._closed else "not configured: call configure() first"
            raise DriveSequenceError(f"{self._name}: {call}() on a bank that is {why}")

    def _observe(self, now_s: float) -> bool:
        """Let the axes see what came; return whether nothing was noticed of any node or bus."""
        inbox, watch = self._inbox, self._watch
        for leg in inbox.doubled:
            watch.double(leg, now_s, f"{DOUBLES_MIN} TPDO1 or more in {DOUBLE_WINDOW_CYCLES} SYNC")
        well = watch.all_well(now_s)
        alive: Sequence[bool] = _ALL_ALIVE
        if not well:
            for leg, notes in enumerate(watch.nodes):
                if notes.restarted:
                    self._axes.forget_reference(leg)
            alive = [watch.alive(leg, now_s) for leg in range(LEG_COUNT)]
        self._axes.observe(
            AxesFeedback(inbox.statusword, inbox.mode_display, inbox.position, inbox.fresh, alive)
        )
        return well and not self._bus.any_passive and not self._codes.faulted


_ALL_ALIVE = (True,) * LEG_COUNT
_NO_CODES: SixInts = (0, 0, 0, 0, 0, 0)


def _make_axes(
    settings: CanopenSettings,
    scales: Sequence[LegScale],
    period_s: float,
    homing_legs: Sequence[int],
) -> SixAxes:
    """Return the state machines of the six drives, as their settings want them."""
    return SixAxes(
        period_s,
        [scale.distance_counts(STILL_M) for scale in scales],
        work_mode=settings.mode,
        times=SequenceTimes(
            # Nothing begins before a second node with a leg's id would have been found.
            still_s=max(STILL_S, (DOUBLE_WINDOW_CYCLES + 2) * period_s),
            homing_s=settings.homing_timeout_s,
        ),
        homing_legs=homing_legs,
        homing_counts_per_s=[s.counts_per_m * settings.homing_speed_m_s for s in scales],
        absolute=settings.absolute,
        remote_bit=settings.remote_bit,
        follows_bit=settings.follows_bit,
    )
