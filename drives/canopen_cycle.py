"""The frames of one bus cycle: what is packed into six RPDOs, what is read from the TPDOs."""

from collections.abc import Callable, Sequence

from drives.axes import AxesWords
from drives.bank import (
    LEGS,
    BankFeedback,
    DriveCommandError,
    LegCommand,
    SixBools,
    SixFloats,
    SixInts,
    SixStates,
)
from drives.canopen_pdo import (
    ACTUAL,
    EFFORT,
    INPUTS,
    RPDO_IDS,
    SETPOINT,
    SPEED_SETPOINT,
    SYNC,
    TPDO_IDS,
    heartbeat,
)
from drives.canopen_settings import CanopenSettings
from drives.frames import Frame
from drives.scaling import LegScale

Other = Callable[[Frame, int, float], None]
"""Takes a frame that is no TPDO of ours: frame, bus, time [s]."""

_STILL: SixFloats = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_PERMILLE = 1e-3


def counts_of(command: LegCommand, scales: Sequence[LegScale]) -> tuple[list[int], list[int]]:
    """Return the counts and the counts per second of a command.

    Args:
        command: Setpoints of one cycle.
        scales: Scale of each leg, 6.

    Raises:
        DriveCommandError: If no 32-bit count stands for a value; names the leg.
    """
    positions, speeds = [0] * LEGS, [0] * LEGS
    for leg, scale in enumerate(scales):
        try:
            positions[leg] = scale.counts(command.length_m[leg])
            speeds[leg] = scale.speed_counts(command.speed_m_s[leg])
        except DriveCommandError as error:
            raise DriveCommandError(f"leg {leg + 1}: {error}") from error
    return positions, speeds


class CycleFrames:
    """Packs the frames that a cycle sends.

    Args:
        settings: The drives and their bus.
        period_s: Bus cycle [s].
    """

    def __init__(self, settings: CanopenSettings, period_s: float) -> None:
        self._setpoint_ids = tuple(RPDO_IDS[0] + node for node in settings.node_ids)
        self._speed_ids = tuple(RPDO_IDS[1] + node for node in settings.node_ids)
        self._bus_of_leg = settings.bus_of_leg
        self._buses = settings.buses
        self._with_speeds = settings.speed_feed_forward
        self._heartbeat = heartbeat(settings.master_id)
        # A beat that falls between two cycles goes with the nearer one.
        self._beat_s = settings.master_heartbeat_every_s - period_s / 2
        self._beat_due_s = float("-inf")

    def pack(
        self, words: AxesWords, speeds: Sequence[int] | None, now_s: float
    ) -> list[list[Frame]]:
        """Return the frames of each bus: setpoints, SYNC, and our heartbeat when it is due.

        Args:
            words: What goes to each drive.
            speeds: Speeds of the command [counts/s], 6; None without a command.
            now_s: Time of the cycle [s].
        """
        batches: list[list[Frame]] = [[] for _ in range(self._buses)]
        for leg, bus in enumerate(self._bus_of_leg):
            data = SETPOINT.pack(words.controlword[leg], words.mode[leg], words.target[leg])
            batches[bus].append(Frame(self._setpoint_ids[leg], data))
        if self._with_speeds:
            for leg, bus in enumerate(self._bus_of_leg):
                led = speeds is not None and words.commanded[leg]
                data = SPEED_SETPOINT.pack(speeds[leg] if led and speeds else 0)
                batches[bus].append(Frame(self._speed_ids[leg], data))
        beat = now_s >= self._beat_due_s
        if beat:
            self._beat_due_s = now_s + self._beat_s
        for batch in batches:
            batch.append(SYNC)
            if beat:
                batch.append(self._heartbeat)
        return batches

    def accepted(
        self, words: AxesWords, speeds: Sequence[int] | None, scales: Sequence[LegScale]
    ) -> LegCommand | None:
        """Return in SI what was packed; None if no setpoint of the caller was.

        Args:
            words: What went to each drive.
            speeds: Speeds of the command [counts/s], 6; None without a command.
            scales: Scale of each leg, 6.
        """
        if not any(words.commanded):
            return None
        a, b, c, d, e, f = (
            scale.length_m(target) for scale, target in zip(scales, words.target, strict=True)
        )
        if speeds is None or not self._with_speeds:
            return LegCommand((a, b, c, d, e, f), _STILL)
        p, q, r, s, t, u = (
            scale.speed_m_s(speed) if led else 0.0
            for scale, speed, led in zip(scales, speeds, words.commanded, strict=True)
        )
        return LegCommand((a, b, c, d, e, f), (p, q, r, s, t, u))


class PdoInbox:
    """The newest values of the TPDOs, and which of them are of this cycle.

    A TPDO1 that came after its own cycle was over counts as fresh in the next one.

    Args:
        settings: The drives and their bus.
        other: Takes every frame that is no TPDO of ours.
    """

    def __init__(self, settings: CanopenSettings, other: Other) -> None:
        self.statusword = [0] * LEGS
        self.mode_display = [0] * LEGS
        self.position = [0] * LEGS
        self.speed = [0] * LEGS
        self.torque = [0] * LEGS
        self.inputs: list[int | None] = [None] * LEGS
        self.fresh = [False] * LEGS
        self.missing = [0] * LEGS
        self.late = 0
        self.malformed = 0
        self._other = other
        self._answered = 0
        self._due = [0] * settings.buses
        self._known: list[dict[int, tuple[int, int]]] = [{} for _ in range(settings.buses)]
        for leg, (node, bus) in enumerate(zip(settings.node_ids, settings.bus_of_leg, strict=True)):
            self._due[bus] |= 1 << leg
            for number, base in enumerate(TPDO_IDS[:3]):
                self._known[bus][base + node] = (number, leg)

    def begin(self) -> None:
        """Begin a cycle: nothing is fresh."""
        self.fresh = [False] * LEGS

    def begin_answers(self) -> None:
        """Begin to wait for the answers; what is fresh by now has come late."""
        self.late += sum(self.fresh)
        self._answered = 0

    def end(self) -> None:
        """End a cycle: count what is missing."""
        if not all(self.fresh):
            for leg, fresh in enumerate(self.fresh):
                self.missing[leg] += not fresh

    def complete(self, bus: int) -> bool:
        """Say whether all drives of a bus have answered since `begin_answers`."""
        return self._answered & self._due[bus] == self._due[bus]

    def listener(self, bus: int, now_s: Callable[[], float]) -> Callable[[Frame], None]:
        """Return what takes the frames of a bus outside a cycle.

        Args:
            bus: The bus.
            now_s: Monotonic clock [s].
        """

        def take(frame: Frame) -> None:
            self.take(frame, bus, now_s())

        return take

    def take(self, frame: Frame, bus: int, now_s: float) -> bool:
        """Take in a frame.

        Args:
            frame: The frame.
            bus: Bus that it came on.
            now_s: Time of the cycle [s].

        Returns:
            Whether it was a TPDO of ours; any other frame has been told to `other`.
        """
        known = self._known[bus].get(frame.can_id)
        if known is None:
            self._other(frame, bus, now_s)
            return False
        number, leg = known
        data = frame.data
        if len(data) != _SIZES[number]:
            self.malformed += 1
        elif number == 0:
            self.statusword[leg], self.mode_display[leg], self.position[leg] = ACTUAL.unpack(data)
            self.fresh[leg] = True
            self._answered |= 1 << leg
        elif number == 1:
            self.speed[leg], self.torque[leg] = EFFORT.unpack(data)
        else:
            (self.inputs[leg],) = INPUTS.unpack(data)
        return True

    def feedback(
        self,
        scales: Sequence[LegScale],
        rated_force_n: SixFloats,
        states: SixStates,
        homed: SixBools,
        codes: SixInts,
        accepted: LegCommand | None,
    ) -> BankFeedback:
        """Return the feedback of this cycle, in SI.

        Args:
            scales: Scale of each leg, 6.
            rated_force_n: Force of each drive at its rated torque [N], 6.
            states: State of each drive, 6.
            homed: Whether each leg is homed, 6.
            codes: Error code of each drive, 6.
            accepted: What was sent.
        """
        a, b, c, d, e, f = (
            scale.length_m(counts) for scale, counts in zip(scales, self.position, strict=True)
        )
        p, q, r, s, t, u = (
            scale.speed_m_s(counts) for scale, counts in zip(scales, self.speed, strict=True)
        )
        h, i, j, k, m, n = (
            scale.sign * torque * rated_n * _PERMILLE
            for scale, torque, rated_n in zip(scales, self.torque, rated_force_n, strict=True)
        )
        v, w, x, y, z, last = self.fresh
        return BankFeedback(
            length_m=(a, b, c, d, e, f),
            speed_m_s=(p, q, r, s, t, u),
            force_n=(h, i, j, k, m, n),
            state=states,
            homed=homed,
            fault_code=codes,
            fresh=(v, w, x, y, z, last),
            accepted=accepted,
            inputs=self._six_inputs(),
        )

    def _six_inputs(self) -> SixInts | None:
        a, b, c, d, e, f = self.inputs
        if a is None or b is None or c is None or d is None or e is None or f is None:
            return None
        return (a, b, c, d, e, f)


_SIZES = (ACTUAL.size, EFFORT.size, INPUTS.size)
