"""The six-axis drive bank: the one seam between the bench and whatever moves the rods.

Everything above this interface is the same code on simulated cylinders and on a real bus. A bank
speaks in SI, of six legs at once, in the order of the geometry: index 0 is leg 1.

One bus cycle is one call of `DriveBank.exchange`. Goals (`DriveBank.request`) are asked for and
never waited for: how far the drives have got is read from the feedback of the cycles after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

from drives.waits import Waits
from hil_common.legs import ZERO_SIX, DriveReading, LegTarget, SixBools, SixFloats, SixInts

UNTOLD_AGES = ZERO_SIX
"""Ages of feedback of drives that report none."""


class DriveError(Exception):
    """A drive, its bus or its use is wrong; the text names leg, value, limit and unit."""


class DriveModelError(DriveError, ValueError):
    """The description of a drive or of a fault to simulate contradicts itself."""


class DriveCommandError(DriveError, ValueError):
    """A setpoint that must not reach a wire: not six numbers, or not finite."""


class DriveSequenceError(DriveError, RuntimeError):
    """A call at the wrong time, such as an exchange before `DriveBank.configure`."""


class DriveSetupError(DriveError, RuntimeError):
    """A drive is absent, is another device than the rig says, or reads back something else."""


class DrivePlaceError(DriveSetupError):
    """Legs are elsewhere, or have other drives, than was recorded: no place is known."""


class DriveEncoderError(DrivePlaceError):
    """An absolute encoder reports a fault: what was measured with it does not hold any more."""


class DriveAbsentError(DriveSetupError):
    """Nothing answers where a drive should be."""


class LinkError(DriveError, OSError):
    """A bus or port cannot be opened; the text names device, URL and cause."""


class LinkLostError(DriveError, OSError):
    """A bus or port that worked is gone; nothing can be sent, the drives stop by themselves."""


class DriveGoal(Enum):
    """State that the caller wants of the six drives.

    All six go together or none does: while one leg cannot follow a goal (it is in fault, or it
    must be enabled and is not homed), no leg starts towards `HOMED` or `ENABLED`.
    """

    DISABLED = "disabled"
    """Brakes closed, no force. For as long as this is the goal, a drive in fault is acknowledged
    once it stands still and the cause has gone; its code has been in a feedback by then."""
    HOMED = "homed"
    """Legs that do not know where they are find their reference, then are disabled again."""
    ENABLED = "enabled"
    """The drives have force: they hold where they are, then follow the commands of each cycle."""
    QUICK_STOPPED = "quick_stopped"
    """Each drive stops on its own ramp and holds; it is left through `DISABLED` only."""


class DriveState(Enum):
    """State that one drive reports."""

    OFF = "off"
    DISABLED = "disabled"
    HOMING = "homing"
    ENABLED = "enabled"
    QUICK_STOP = "quick_stop"
    FAULT = "fault"
    UNKNOWN = "unknown"
    """The drive was received and is silent now: the last known state is not believed."""


SixStates = tuple[DriveState, DriveState, DriveState, DriveState, DriveState, DriveState]


class BankFeedback(NamedTuple):
    """Values that the six drives reported in one bus cycle."""

    length_m: SixFloats
    """Measured leg lengths [m], 6; meaningless for a leg that is not homed."""
    speed_m_s: SixFloats
    """Measured leg speeds, positive when the leg grows [m/s], 6."""
    force_n: SixFloats
    """Force of each drive along its leg, positive when it pushes [N], 6."""
    state: SixStates
    """State of each drive, 6."""
    homed: SixBools
    """Whether each leg knows where it is, 6."""
    fault_code: SixInts
    """Error code of each drive as CiA 301 and CiA 402 number them, 0 = none, 6."""
    fresh: SixBools
    """Whether this cycle's frame of each leg arrived; the values of a leg that is not fresh are
    those of its last frame, 6."""
    accepted: LegTarget | None
    """What was really put on the wire, rounded to the drives' units; its speeds are 0 when the bus
    carries no speeds. None when no setpoint was sent."""
    inputs: SixInts | None = None
    """Digital inputs of each drive as object 60FDh of CiA 402 numbers them (bit 0 negative limit
    switch, 1 positive, 2 home switch, 3 interlock), 6; None when they are not read."""
    waits: Waits = ()
    """Waits of the goal; empty if nothing is due."""
    judged: SixBools = (False, False, False, False, False, False)
    """Whether the error code is the bench's own judgement of the drive or its bus, and not what
    the drive reported, 6."""
    warning_code: SixInts = (0, 0, 0, 0, 0, 0)
    """Code of each drive's warning while it runs (bit 7 of the statusword, object 603Fh of CiA
    402), 0 = nothing, 6."""
    age_s: SixFloats = UNTOLD_AGES
    """How long before the newest SYNC the length of each leg was measured, by the time stamp of
    its drive [s], 6; 0 of drives that give none."""
    high: tuple[DriveReading, ...] = ()
    """Readings of heat and load that are above their limits."""
    failed: str = ""
    """Why nothing of this bank is to be believed any more, in words: the drives are quick-stopped
    and lose their power. Empty while all is well; a bus that is gone raises `LinkLostError`."""


@dataclass(frozen=True, slots=True)
class BankReport:
    """Values that `DriveBank.configure` wrote and read back, for the record of a run."""

    name: str
    """Name of the bank."""
    url: str
    """URL of its drives; `sim:` when nothing but arithmetic moves."""
    simulated: bool
    """Whether the drives are simulated."""
    axes: tuple[str, ...]
    """One line of text per leg, 6."""
    identities: tuple[str, ...] = ()
    """Identity that each drive reports (vendor, product, serial number), 6; empty if the drives
    cannot say."""
    notes: tuple[str, ...] = ()
    """Notes for a person, such as a drive that belongs to no leg."""
    scale_proved: tuple[bool, ...] = ()
    """Whether each drive itself gives the scale of the rig, 6; empty if nothing is to be proved. A
    wrong scale agrees with its own feedback."""
    counts: tuple[int, ...] = ()
    """Position of each drive with an absolute encoder [counts], 6; empty without them."""
    first_motion: bool = False
    """The drives make no homing motion, so their first motion has to be made by setpoints, see
    `drives.axes.first_motion`."""


Touch = tuple[str, float, float, tuple[float, ...]]
"""What pressed on what in a simulated world: names, since when after `DriveBank.configure` [s],
time of one value [s], greatest force in each [N]."""

LinkTally = Mapping[str, int | tuple[int, ...] | tuple[str, ...]]
"""What has happened on a bank's link, by name: counts, counts of each leg, and notes in words."""


@dataclass(frozen=True, slots=True)
class BankEnd:
    """State in which a bank left its drives."""

    tally: LinkTally = field(default_factory=dict[str, int])
    """Events on the link before."""
    left_m: tuple[float, ...] = ()
    """Lengths at which legs with absolute encoders were at rest then [m], 6; empty if not all gave
    them."""
    cut_us: tuple[int, ...] = ()
    """Time from the last frame of a cut until each drive was seen stopped [us], 6; -1 where it was
    not; empty if nothing was cut."""
    powered: tuple[str, ...] = ()
    """Drives that are not proved to be without force, each with its leg and what was seen of it;
    empty if all six said that they are off."""
    touched: tuple[Touch, ...] = ()
    """Contacts of simulated drives, or of what they carry."""


class DriveBank(Protocol):
    """Six drives on one bus."""

    def configure(self) -> BankReport:
        """Power the drives up, write their parameters, read them back; the drives end disabled.

        Returns:
            What the drives now hold.

        Raises:
            DriveError: If a drive is absent, or reads back something else than was written.
        """
        ...

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal; never blocks, and progress is read from the feedback.

        Args:
            goal: What the drives shall become; replaces the goal asked for before.

        Raises:
            DriveSequenceError: If the bank is not configured, or closed.
        """
        ...

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """Run one bus cycle: the command goes out, the state at the end of the cycle comes back.

        Args:
            command: Setpoints of this cycle; None puts no position setpoint on the wire.

        Returns:
            What the drives reported, and what was really sent.

        Raises:
            DriveCommandError: If the command is not twelve finite numbers; nothing was sent.
            DriveSequenceError: If the bank is not configured, or closed.
            DriveError: If the bus is gone.
        """
        ...

    def link_tally(self) -> LinkTally:
        """Return what has happened on the link since `configure`; never waits, never raises.

        Returns:
            At least ``cycles`` and ``missing`` (cycles without a fresh answer of each leg, 6);
            nothing at all where there is no link on which anything could get lost.
        """
        ...

    def close(self) -> BankEnd:
        """Disable the drives and leave the bus; a second call does nothing."""
        ...


def tally_with_notes(tally: LinkTally, notes: Sequence[str]) -> LinkTally:
    """Return a tally with more notes in words before its own."""
    own = tally.get("notes", ())
    words = [str(note) for note in own] if isinstance(own, tuple) else []
    return {**tally, "notes": (*notes, *words)}


def check_command(command: LegTarget) -> None:
    """Refuse a command that is not six finite lengths and six finite speeds.

    The gate has looked at it before, and this is the last place before a number becomes an
    integer on a wire, where NaN would become a full stroke.

    Args:
        command: Setpoints of one cycle.

    Raises:
        DriveCommandError: With the leg, the value and what would have been right.
    """
    if fault := command.fault():
        raise DriveCommandError(fault)
