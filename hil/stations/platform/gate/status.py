"""Status records: reports of the gate to control on each of its cycles, in binary.

A record is a row of `SIGNALS`: the gate's tick, its verdict and the drives' feedback, under the
names that the recording has for them. A tail of violations and of the drives' readings in words
follows, which is nearly always zeros. It goes through a `Ring`, which never waits.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from drives.bank import BankFeedback, DriveState
from drives.waits import Wait, Waits
from hil.recording.signals import CODE, Signal, Signals
from hil.stations.platform.signals import ACTION_CODE, LEGS, MODE_CODE
from hil.stations.platform.signals import SIGNALS as ROW
from hil.timing.clock import Tick
from hil_common.legs import DriveReading, LegTarget, SixBools, SixInts
from safety.modes import DriveRequest, Mode, Request, Severity
from safety.verdict import Action, Check, Verdict, Violation

STATUS_KIND: Final = 1
"""Kind of a ring's entry that is a status record."""
LOST_KIND: Final = 2
"""Kind of a ring's entry with the reason, as text, why the gate has lost its link."""
END_KIND: Final = 3
"""Kind of a ring's last entry: how the drives were left, as JSON."""

WAITS_KIND: Final = 4
"""Kind of a ring's entry with what the drives wait for, as JSON."""
TOUCH_KIND: Final = 5
"""Kind of a ring's entry before the last one: contacts with simulated drives, as JSON."""

STATUS_SLOTS: Final = 1024
STATUS_SLOT_BYTES: Final = 4096

_MODES: Final = tuple(Mode)
_ACTIONS: Final = tuple(Action)
_REQUESTS: Final = tuple(DriveRequest)
_REFUSED: Final = (None, *Request)
"""Requests that a refusal may name."""
_CHECKS: Final = tuple(Check)
_STATES: Final = tuple(DriveState)
_REFUSED_CODE: Final = {request: code for code, request in enumerate(_REFUSED)}
_REQUEST_CODE: Final = {request: code for code, request in enumerate(_REQUESTS)}
_CHECK_CODE: Final = {check: code for code, check in enumerate(_CHECKS)}
_STATE_CODE: Final = {state: code for code, state in enumerate(_STATES)}

_OF_THE_ROW: Final = (
    "dt_s", "late_s", "mode", "action", "measured_inputs_there", "allowed_length_m",
    "allowed_speed_m_s", "sent_length_m", "measured_length_m", "measured_speed_m_s",
    "measured_force_n", "measured_inputs_bits", "measured_lag_s", "sent_stamp_s",
)  # fmt: skip
"""Signals of a cycle of the gate that the recording has under the same names."""

SIGNALS: Final = Signals(
    "gate",
    (
        ROW["index"],
        ROW["t_s"],
        Signal("overruns", "u8"),  # deadlines that the gate has given up so far
        Signal("round_trip_s", "f8", unit="s"),  # what the exchange with the drives took
        *(ROW[name] for name in _OF_THE_ROW),
        Signal("sent_speed_m_s", "f8", 6, "m/s", parts=LEGS),  # what was put on the wire
        Signal("measured_age_s", "f8", 6, "s", parts=LEGS),  # of the lengths, by the drives' stamps
        Signal("drives", "u1", unit=CODE, codes=tuple(one.name for one in DriveRequest)),
        Signal("heard", "u1"),  # a setpoint meant for this very cycle had come
        Signal("allowed", "u1"),  # the gate allowed a setpoint
        Signal("sent", "u1"),  # the bank put one on the wire
        Signal("cut", "u1"),  # not all of the tail found room
        Signal("state", "u1", 6, parts=LEGS),  # number of the drive's `DriveState`
        Signal("homed", "u1", 6, parts=LEGS),
        Signal("fresh", "u1", 6, parts=LEGS),
        Signal("judged", "u1", 6, parts=LEGS),  # the fault is the bench's own judgement
        Signal("fault_code", "u4", 6, parts=LEGS),
        Signal("warning_code", "u4", 6, parts=LEGS),
    ),
)
"""Table of a cycle of the gate."""

_TAIL: Final = struct.Struct("<BBH")  # violations, faults, bytes of words
_NO_TAIL: Final = bytes(_TAIL.size)
_VIOLATION: Final = struct.Struct("<4B3dBH")
_HAS_LOW: Final = 0x80
_WORDS_MAX: Final = 400
"""Most characters of a violation's note, and of why a bank is not to be believed."""
TAIL_MAX_BYTES: Final = STATUS_SLOT_BYTES - 8 - SIGNALS.size
"""Room for violations in one record [bytes]."""

_pack: Final = SIGNALS.packer()
_unpack: Final = SIGNALS.unpacker()


def waits_to_json(waits: Waits) -> list[list[Any]]:
    """Waits of the drives, for JSON."""
    return [list(wait) for wait in waits]


def waits_from_json(rows: Iterable[Any]) -> Waits:
    """Return the waits that `waits_to_json` was given.

    Raises:
        TypeError: if it was something else.
    """
    return tuple(Wait(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class Status:
    """Status of one cycle of the gate."""

    tick: Tick
    """The cycle as the gate measured it."""
    verdict: Verdict
    """Verdict of the gate."""
    feedback: BankFeedback
    """Feedback of the drives."""
    received: bool
    """Whether a setpoint meant for this very cycle had come."""
    round_trip_s: float
    """Duration of the exchange with the drives [s]."""
    sent_s: float
    """Time at which that began, monotonic [s]."""
    overruns: int
    """Number of deadlines the gate has given up so far."""
    cut: bool = False
    """Whether some violations found no room in the record."""


class StatusEncoder:
    """Encoder of status records; it keeps the packed faults, which rarely change."""

    def __init__(self) -> None:
        self._faults: tuple[Violation, ...] = ()
        self._packed_faults: list[bytes] = []

    def pack(
        self,
        tick: Tick,
        verdict: Verdict,
        feedback: BankFeedback,
        received: bool,
        round_trip_s: float,
        sent_s: float,
        overruns: int,
    ) -> bytes:
        """Return one record; the arguments are those of `Status`."""
        allowed, sent = verdict.allowed, feedback.accepted
        tail, whole = _NO_TAIL, True
        if verdict.violations or verdict.faults or feedback.high or feedback.failed:
            tail, whole = self._tail(verdict, feedback)
        a, b, c, d, e, f = feedback.state
        code = _STATE_CODE
        return (
            _pack(
                index=tick.index,
                t_s=tick.t_s,
                dt_s=tick.dt_s,
                late_s=tick.late_s,
                overruns=overruns,
                round_trip_s=round_trip_s,
                mode=MODE_CODE[verdict.mode],
                action=ACTION_CODE[verdict.action],
                drives=_REQUEST_CODE[verdict.drives],
                heard=received,
                cut=not whole,
                allowed=allowed is not None,
                allowed_length_m=None if allowed is None else allowed.length_m,
                allowed_speed_m_s=None if allowed is None else allowed.speed_m_s,
                sent=sent is not None,
                sent_length_m=None if sent is None else sent.length_m,
                sent_speed_m_s=None if sent is None else sent.speed_m_s,
                sent_stamp_s=sent_s,
                measured_length_m=feedback.length_m,
                measured_speed_m_s=feedback.speed_m_s,
                measured_force_n=feedback.force_n,
                measured_age_s=feedback.age_s,
                measured_lag_s=verdict.lag_s,
                measured_inputs_bits=feedback.inputs,
                state=(code[a], code[b], code[c], code[d], code[e], code[f]),
                homed=feedback.homed,
                fresh=feedback.fresh,
                judged=feedback.judged,
                fault_code=feedback.fault_code,
                warning_code=feedback.warning_code,
            )
            + tail
        )

    def _tail(self, verdict: Verdict, feedback: BankFeedback) -> tuple[bytes, bool]:
        if verdict.faults is not self._faults:
            self._faults = verdict.faults
            self._packed_faults = [_pack_violation(fault) for fault in verdict.faults]
        violations = [_pack_violation(violation) for violation in verdict.violations]
        words = b""
        if feedback.high or feedback.failed:
            words = json.dumps([feedback.failed[:_WORDS_MAX], feedback.high]).encode()
        capacity = TAIL_MAX_BYTES - _TAIL.size
        # Faults first: they say why the platform stands.
        faults, capacity = _fitting(self._packed_faults, capacity)
        found, capacity = _fitting(violations, capacity)
        said, capacity = _fitting([words], capacity)
        whole = (len(faults), len(found), len(said)) == (
            len(self._packed_faults), len(violations), 1,
        )  # fmt: skip
        head = _TAIL.pack(len(found), len(faults), sum(map(len, said)))
        return b"".join([head, *found, *faults, *said]), whole


def decode(record: bytes) -> Status:
    """Return the status of a record.

    Raises:
        ValueError: if it is not a status record.
    """
    try:
        return _decode(record)
    except (struct.error, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{len(record)} bytes are no status record: {error}") from error


def _decode(record: bytes) -> Status:
    row = _unpack(record)
    found, faults, failed, high = _unpack_tail(record)
    a, b, c, d, e, f = row.state
    feedback = BankFeedback(
        length_m=row.measured_length_m,
        speed_m_s=row.measured_speed_m_s,
        force_n=row.measured_force_n,
        state=(_STATES[a], _STATES[b], _STATES[c], _STATES[d], _STATES[e], _STATES[f]),
        homed=_flags(row.homed),
        fault_code=row.fault_code,
        fresh=_flags(row.fresh),
        accepted=LegTarget(row.sent_length_m, row.sent_speed_m_s) if row.sent else None,
        inputs=row.measured_inputs_bits,
        judged=_flags(row.judged),
        warning_code=row.warning_code,
        age_s=row.measured_age_s,
        high=high,
        failed=failed,
    )
    verdict = Verdict(
        row.index,
        _MODES[row.mode],
        _ACTIONS[row.action],
        found,
        LegTarget(row.allowed_length_m, row.allowed_speed_m_s) if row.allowed else None,
        _REQUESTS[row.drives],
        faults,
        None if math.isnan(row.measured_lag_s) else row.measured_lag_s,
    )
    tick = Tick(row.index, row.t_s, row.dt_s, row.late_s)
    return Status(
        tick, verdict, feedback, bool(row.heard), row.round_trip_s, row.sent_stamp_s, row.overruns,
        bool(row.cut),
    )  # fmt: skip


def _fitting(packed: list[bytes], capacity: int) -> tuple[list[bytes], int]:
    kept: list[bytes] = []
    for each in packed[:255]:
        if len(each) > capacity:
            break
        kept.append(each)
        capacity -= len(each)
    return kept, capacity


def _pack_violation(violation: Violation) -> bytes:
    unit, note = violation.unit.encode(), violation.note.encode()[:_WORDS_MAX]
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


_Tail = tuple[tuple[Violation, ...], tuple[Violation, ...], str, tuple[DriveReading, ...]]
"""Violations, faults; why the bank is not to be believed, and readings above their limits."""


def _unpack_tail(record: bytes) -> _Tail:
    offset = SIGNALS.size
    if record[offset:] == _NO_TAIL:
        return (), (), "", ()
    found, faults, said = _TAIL.unpack_from(record, offset)
    offset += _TAIL.size
    violations: list[Violation] = []
    for _ in range(found + faults):
        violation, offset = _unpack_violation(record, offset)
        violations.append(violation)
    failed, high = json.loads(record[offset : offset + said]) if said else ("", ())
    readings = tuple(DriveReading(*one) for one in high)
    return tuple(violations[:found]), tuple(violations[found:]), failed, readings


def _unpack_violation(record: bytes, offset: int) -> tuple[Violation, int]:
    """Read one violation of a record; returns it and where the next one begins."""
    check, leg, severity, asked, value, limit, low, units, notes = _VIOLATION.unpack_from(
        record, offset
    )
    offset += _VIOLATION.size
    unit = record[offset : offset + units].decode()
    offset += units
    note = record[offset : offset + notes].decode(errors="replace")
    violation = Violation(
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
    return violation, offset + notes


_ALL: Final = (True, True, True, True, True, True)
_NONE: Final = (False, False, False, False, False, False)


def _flags(values: SixInts) -> SixBools:
    """Six flags of six numbers that are 0 or not; nearly always the same for all legs."""
    if all(values):
        return _ALL
    if not any(values):
        return _NONE
    a, b, c, d, e, f = values
    return bool(a), bool(b), bool(c), bool(d), bool(e), bool(f)
