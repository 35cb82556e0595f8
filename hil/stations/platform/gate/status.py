"""Status records: what the gate tells control of each of its cycles, in binary.

A record is the gate's tick, its verdict and the drives' feedback in 484 bytes, and a tail of
violations that is nearly always two zeros. It goes through a `Ring`, which never waits.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from drives.bank import BankFeedback, DriveState, LegCommand
from drives.waits import Wait, Waits
from hil.timing.clock import Tick
from safety.modes import DriveRequest, Mode, Request, Severity
from safety.verdict import Action, Check, LegTarget, Verdict, Violation

STATUS_KIND: Final = 1
"""Kind of a ring's entry that is a status record."""
LOST_KIND: Final = 2
"""Kind of a ring's entry that tells, as text, why the gate has lost its link."""
END_KIND: Final = 3
"""Kind of a ring's last entry: how the drives were left, as JSON."""

WAITS_KIND: Final = 4
"""Kind of a ring's entry that tells what the drives wait for, as JSON."""
TOUCH_KIND: Final = 5
"""Kind of a ring's entry before the last one: what pressed on simulated drives, as JSON."""

STATUS_SLOTS: Final = 1024
STATUS_SLOT_BYTES: Final = 4096

_MODES: Final = tuple(Mode)
_ACTIONS: Final = tuple(Action)
_REQUESTS: Final = tuple(DriveRequest)
_REFUSED: Final = (None, *Request)
"""What was asked for, of a refusal."""
_CHECKS: Final = tuple(Check)
_STATES: Final = tuple(DriveState)
_MODE_CODE: Final = {mode: code for code, mode in enumerate(_MODES)}
_ACTION_CODE: Final = {action: code for code, action in enumerate(_ACTIONS)}
_REFUSED_CODE: Final = {request: code for code, request in enumerate(_REFUSED)}
_REQUEST_CODE: Final = {request: code for code, request in enumerate(_REQUESTS)}
_CHECK_CODE: Final = {check: code for code, check in enumerate(_CHECKS)}
_STATE_CODE: Final = {state: code for code, state in enumerate(_STATES)}

# index, overruns, t, dt, late, round trip, lag, sent; mode, action, drives, flags, fresh, homed,
# 6 states; 6 fault codes, 6 inputs, 6 warnings; 6 lengths, speeds, forces; 12 allowed, 12 accepted
_RECORD: Final = struct.Struct("<QQ6d6B6B6I6I6I18d12d12d")
_TAIL: Final = struct.Struct("<BB")  # violations, faults
_VIOLATION: Final = struct.Struct("<4B3dBH")
_HAS_ALLOWED, _HAS_ACCEPTED, _HAS_INPUTS, _HEARD, _CUT = 1, 2, 4, 8, 16
_NAN12: Final = (math.nan,) * 12
_NO_INPUTS: Final = (0, 0, 0, 0, 0, 0)
_HAS_LOW: Final = 0x80
TAIL_MAX_BYTES: Final = STATUS_SLOT_BYTES - 8 - _RECORD.size
"""Room for violations in one record."""


def waits_to_json(waits: Waits) -> list[list[Any]]:
    """What the drives wait for, for JSON."""
    return [list(wait) for wait in waits]


def waits_from_json(rows: Iterable[Any]) -> Waits:
    """Return what `waits_to_json` was made of.

    Raises:
        TypeError: if it was something else.
    """
    return tuple(Wait(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class Status:
    """One cycle of the gate, as control sees it."""

    tick: Tick
    """The cycle as the gate measured it."""
    verdict: Verdict
    """Of the gate."""
    feedback: BankFeedback
    """Of the drives."""
    heard: bool
    """A setpoint meant for this very cycle had come."""
    round_trip_s: float
    """What the exchange with the drives took [s]."""
    sent_s: float
    """When it began, monotonic [s]."""
    overruns: int
    """Deadlines the gate has given up so far."""
    cut: bool = False
    """Not all violations found room in the record."""


class StatusEncoder:
    """Packs status records; keeps the packed faults, which stay the same for many cycles."""

    def __init__(self) -> None:
        self._faults: tuple[Violation, ...] = ()
        self._packed_faults: list[bytes] = []

    def pack(
        self,
        tick: Tick,
        verdict: Verdict,
        feedback: BankFeedback,
        heard: bool,
        round_trip_s: float,
        sent_s: float,
        overruns: int,
    ) -> bytes:
        """Return one record; the arguments are those of `Status`."""
        flags = _HEARD if heard else 0
        if verdict.allowed is not None:
            flags |= _HAS_ALLOWED
        if feedback.accepted is not None:
            flags |= _HAS_ACCEPTED
        inputs = _NO_INPUTS
        if feedback.inputs is not None:
            flags |= _HAS_INPUTS
            inputs = feedback.inputs
        tail = b"\0\0"
        if verdict.violations or verdict.faults:
            tail, whole = self._tail(verdict)
            flags |= 0 if whole else _CUT
        code = _STATE_CODE
        a, b, c, d, e, f = feedback.state
        return (
            _RECORD.pack(
                tick.index,
                overruns,
                tick.t_s,
                tick.dt_s,
                tick.late_s,
                round_trip_s,
                math.nan if verdict.lag_s is None else verdict.lag_s,
                sent_s,
                _MODE_CODE[verdict.mode],
                _ACTION_CODE[verdict.action],
                _REQUEST_CODE[verdict.drives],
                flags,
                _bits(feedback.fresh),
                _bits(feedback.homed),
                code[a],
                code[b],
                code[c],
                code[d],
                code[e],
                code[f],
                *feedback.fault_code,
                *inputs,
                *feedback.warning_code,
                *feedback.length_m,
                *feedback.speed_m_s,
                *feedback.force_n,
                *_twelve(verdict.allowed),
                *_twelve(feedback.accepted),
            )
            + tail
        )

    def _tail(self, verdict: Verdict) -> tuple[bytes, bool]:
        if verdict.faults is not self._faults:
            self._faults = verdict.faults
            self._packed_faults = [_pack_violation(fault) for fault in verdict.faults]
        violations = [_pack_violation(violation) for violation in verdict.violations]
        room = TAIL_MAX_BYTES - _TAIL.size
        # Faults first: they say why the platform stands.
        faults, room = _fitting(self._packed_faults, room)
        found, room = _fitting(violations, room)
        whole = len(faults) == len(self._packed_faults) and len(found) == len(violations)
        return _TAIL.pack(len(found), len(faults)) + b"".join([*found, *faults]), whole


def _twelve(command: LegTarget | LegCommand | None) -> tuple[float, ...]:
    """Lengths and speeds of six legs; not known without a command."""
    return _NAN12 if command is None else (*command.length_m, *command.speed_m_s)


def decode(record: bytes) -> Status:
    """Return what a record was packed from.

    Raises:
        ValueError: if it is no status record.
    """
    try:
        return _decode(record)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"{len(record)} bytes are no status record: {error}") from error


def _decode(record: bytes) -> Status:
    values = _RECORD.unpack_from(record)
    index, overruns, t_s, dt_s, late_s, round_trip_s, lag_s, sent_s = values[:8]
    mode, action, drives, flags, fresh, homed = values[8:14]
    lag_s = None if math.isnan(lag_s) else lag_s
    numbers = values[38:]
    accepted = LegCommand(numbers[30:36], numbers[36:42]) if flags & _HAS_ACCEPTED else None
    feedback = BankFeedback(
        length_m=numbers[0:6],
        speed_m_s=numbers[6:12],
        force_n=numbers[12:18],
        state=_six(_STATES[code] for code in values[14:20]),
        homed=_flags(homed),
        fault_code=values[20:26],
        fresh=_flags(fresh),
        accepted=accepted,
        inputs=values[26:32] if flags & _HAS_INPUTS else None,
        warning_code=values[32:38],
    )
    allowed = LegTarget(numbers[18:24], numbers[24:30]) if flags & _HAS_ALLOWED else None
    found, faults = _unpack_tail(record)
    verdict = Verdict(
        index, _MODES[mode], _ACTIONS[action], found, allowed, _REQUESTS[drives], faults, lag_s
    )
    tick = Tick(index, t_s, dt_s, late_s)
    heard, cut = bool(flags & _HEARD), bool(flags & _CUT)
    return Status(tick, verdict, feedback, heard, round_trip_s, sent_s, overruns, cut)


def _fitting(packed: list[bytes], room: int) -> tuple[list[bytes], int]:
    kept: list[bytes] = []
    for each in packed[:255]:
        if len(each) > room:
            break
        kept.append(each)
        room -= len(each)
    return kept, room


def _pack_violation(violation: Violation) -> bytes:
    unit, note = violation.unit.encode(), violation.note.encode()[:400]
    low = 0.0 if violation.low is None else violation.low
    return (
        _VIOLATION.pack(
            _CHECK_CODE[violation.check],
            violation.leg or 0,
            violation.severity | (0 if violation.low is None else _HAS_LOW),
            _REFUSED_CODE[violation.request],
            violation.value,
            violation.limit,
            low,
            len(unit),
            len(note),
        )
        + unit
        + note
    )


def _unpack_tail(record: bytes) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
    offset = _RECORD.size
    found, faults = _TAIL.unpack_from(record, offset)
    if not found and not faults:
        return (), ()
    offset += _TAIL.size
    violations: list[Violation] = []
    for _ in range(found + faults):
        check, leg, severity, asked, value, limit, low, units, notes = _VIOLATION.unpack_from(
            record, offset
        )
        offset += _VIOLATION.size
        unit = record[offset : offset + units].decode()
        note = record[offset + units : offset + units + notes].decode(errors="replace")
        offset += units + notes
        violations.append(
            Violation(
                _CHECKS[check],
                leg or None,
                value,
                limit,
                unit,
                Severity(severity & ~_HAS_LOW),
                low if severity & _HAS_LOW else None,
                note,
                _REFUSED[asked],
            )
        )
    return tuple(violations[:found]), tuple(violations[found:])


def _bits(flags: Iterable[bool]) -> int:
    value = 0
    for bit, flag in enumerate(flags):
        value |= flag << bit
    return value


def _flags(bits: int) -> Any:
    return tuple(bool(bits >> bit & 1) for bit in range(6))


def _six(values: Iterable[Any]) -> Any:
    return tuple(values)
