"""Banks of drives that other distributions bring: what they are told, and who watches them.

A maker gets a `BankOrder` and a monotonic clock and returns a `drives.bank.DriveBank`. The gate
keeps it in an `PluginBank`: whatever it raises or returns in a cycle becomes a feedback that tells
its failure, upon which the gate stops the drives at once and in order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from drives.bank import (
    UNTOLD_AGES,
    BankEnd,
    BankFeedback,
    BankReport,
    DriveBank,
    DriveError,
    DriveGoal,
    DriveSetupError,
    DriveState,
    LinkTally,
    SixStates,
)
from drives.waits import Wait
from hil_common.legs import LEG_COUNT, DriveReading, LegTarget, SixBools, SixFloats, SixInts

_NOWHERE = DriveState.UNKNOWN
_UNKNOWN: SixStates = (_NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)
_NONE: SixBools = (False, False, False, False, False, False)
_CODE_MAX = 0xFFFFFFFF
_CAUTIOUS = (DriveGoal.DISABLED, DriveGoal.QUICK_STOPPED)
"""Goals that a bank gets even after it has failed."""


@dataclass(frozen=True, slots=True)
class BankOrder:
    """What a bank is to be: numbers, texts and lists of them only."""

    url: str
    """Where its drives are, as the user wrote it, scheme included."""
    name: str
    """Of the rig, for the record of a run."""
    period_s: float
    """Bus cycle [s]."""
    counts_per_m: tuple[float, ...]
    """Of each drive, from the rig [1/m], 6."""
    sign: tuple[int, ...]
    """1 if counts grow with the leg, -1 if not, 6."""
    reference_length_m: tuple[float, ...]
    """Where homing leaves each leg [m], 6."""
    length_min_m: tuple[float, ...]
    """Shortest length that a drive itself should allow [m], 6."""
    length_max_m: tuple[float, ...]
    """Longest length that a drive itself should allow [m], 6."""
    speed_max_m_s: tuple[float, ...]
    """[m/s], 6."""
    acceleration_max_m_s2: tuple[float, ...]
    """[m/s²], 6."""
    quick_stop_deceleration_m_s2: tuple[float, ...]
    """Of the drives' own quick stop [m/s²], 6."""
    homing_speed_m_s: float
    """[m/s]."""
    watchdog_s: float
    """Silence after which the drives must stop by themselves [s]."""
    homing_legs: tuple[int, ...] = ()
    """Legs (1 to 6) that homing shall move; all if empty."""
    cut_m_s: float | None = None
    """Speed at which the bank shall fall silent once, to see the drives stop by themselves [m/s],
    0 at rest; None not at all."""

    def to_json(self) -> dict[str, Any]:
        """Return the same as a mapping that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BankOrder:
        """Return what `to_json` was made of.

        Raises:
            TypeError: If a part is missing or unknown.
        """
        parts: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**parts)


Maker = Callable[[BankOrder, Callable[[], float]], DriveBank]
"""Makes a bank of an order and a monotonic clock [s]; opens and sends nothing."""


class PluginBank:
    """A bank of another distribution, watched.

    Args:
        whose: Scheme and distribution, such as `'swing' of hil-swing 1.0`, for error texts.

    Raises:
        DriveSetupError: If it cannot be made.
    """

    def __init__(
        self, make: Maker, order: BankOrder, now_s: Callable[[], float], whose: str
    ) -> None:
        self._whose = f"bank {whose}"
        self._last: BankFeedback | None = None
        self._failed = ""
        try:
            self._bank = make(order, now_s)
        except (Exception, SystemExit) as error:
            raise self._setup_error("cannot be made", error) from error

    def configure(self) -> BankReport:
        """Power the drives up.

        Raises:
            DriveError: What the bank raised, or that it does not tell what it has set.
        """
        try:
            report = self._bank.configure()
            _require_report(report)
        except DriveError:
            raise
        except (Exception, SystemExit) as error:
            raise self._setup_error("cannot be configured", error) from error
        return report

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal; what the bank raises is told by the next feedback."""
        if self._failed and goal not in _CAUTIOUS:
            return
        try:
            self._bank.request(goal)
        except (Exception, SystemExit) as error:
            self._fail(f"raised in request({goal.name})", error)

    def exchange(self, command: LegTarget | None) -> BankFeedback:
        """Run one bus cycle; a bank that has failed gets no setpoint any more.

        Raises:
            DriveSetupError: If the very first one fails: nothing has moved.
        """
        try:
            feedback = _sound(self._bank.exchange(None if self._failed else command))
            if feedback.failed:
                self._failed = self._failed or f"{self._whose}: {feedback.failed}"
        except (Exception, SystemExit) as error:
            if self._last is None:
                raise self._setup_error("failed in its first cycle", error) from error
            self._fail("failed in a cycle", error)
            feedback = self._last
        self._last = feedback
        if not self._failed:
            return feedback
        return feedback._replace(state=_UNKNOWN, fresh=_NONE, accepted=None, failed=self._failed)

    def link_tally(self) -> LinkTally:
        """Return what the bank counts; nothing if it cannot say."""
        with suppress(Exception):
            tally = dict(self._bank.link_tally())
            json.dumps(tally)
            return tally
        return {}

    def close(self) -> BankEnd:
        """Disable the drives and leave the bus.

        Raises:
            DriveError: What the bank raised.
        """
        try:
            end = self._bank.close()
            json.dumps(asdict(end))
        except DriveError:
            raise
        except (Exception, SystemExit) as error:
            raise self._setup_error("cannot be closed", error) from error
        return end

    def _fail(self, what: str, error: BaseException) -> None:
        self._failed = self._failed or f"{self._whose} {what}: {type(error).__name__}: {error}"

    def _setup_error(self, what: str, error: BaseException) -> DriveSetupError:
        return DriveSetupError(f"{self._whose} {what}: {type(error).__name__}: {error}")


def _require_report(report: object) -> None:
    if not isinstance(report, BankReport):
        raise TypeError(f"configure() returned {report!r}; it must be a BankReport")
    if len(report.axes) != LEG_COUNT:
        raise TypeError(f"its report has {len(report.axes)} axes; {LEG_COUNT} are needed")
    json.dumps(asdict(report))


def _sound(document: Any) -> BankFeedback:
    """The feedback with every value of its own type; `TypeError` or `ValueError` if one is not.

    A number that is not finite is the gate's to judge.
    """
    if not isinstance(document, BankFeedback):
        raise TypeError(f"exchange() returned {type(document).__name__}; it must be a BankFeedback")
    states = document.state
    if len(states) != LEG_COUNT or not all(type(one) is DriveState for one in states):
        raise TypeError(f"state is {states!r}; six DriveState are needed")
    accepted, inputs = document.accepted, document.inputs
    if accepted is not None:
        accepted = LegTarget(
            _numbers("accepted.length_m", accepted.length_m),
            _numbers("accepted.speed_m_s", accepted.speed_m_s),
        )
    return BankFeedback(
        _numbers("length_m", document.length_m),
        _numbers("speed_m_s", document.speed_m_s),
        _numbers("force_n", document.force_n),
        states,
        _flags("homed", document.homed),
        _codes("fault_code", document.fault_code),
        _flags("fresh", document.fresh),
        accepted,
        None if inputs is None else _codes("inputs", inputs),
        tuple(Wait(*one) for one in document.waits),
        _flags("judged", document.judged),
        _codes("warning_code", document.warning_code),
        document.age_s if document.age_s is UNTOLD_AGES else _numbers("age_s", document.age_s),
        tuple(DriveReading(*one) for one in document.high),
        str(document.failed),
    )


def _numbers(name: str, values: Iterable[Any]) -> SixFloats:
    a, b, c, d, e, f = _six(name, values)
    if type(a) is type(b) is type(c) is type(d) is type(e) is type(f) is float:
        return (a, b, c, d, e, f)
    raise TypeError(f"{name} is {values!r}; six floats are needed")


def _flags(name: str, values: Iterable[Any]) -> SixBools:
    a, b, c, d, e, f = _six(name, values)
    if type(a) is type(b) is type(c) is type(d) is type(e) is type(f) is bool:
        return (a, b, c, d, e, f)
    raise TypeError(f"{name} is {values!r}; six bools are needed")


def _codes(name: str, values: Iterable[Any]) -> SixInts:
    a, b, c, d, e, f = six = _six(name, values)
    if all(type(one) is int and 0 <= one <= _CODE_MAX for one in six):
        return (a, b, c, d, e, f)
    raise TypeError(f"{name} is {values!r}; six ints from 0 to {_CODE_MAX} are needed")


def _six(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    six = tuple(values)
    if len(six) != LEG_COUNT:
        raise TypeError(f"{name} holds {len(six)} values; one per leg is needed: {LEG_COUNT}")
    return six
