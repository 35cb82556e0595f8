"""Rows of both stations by name, for the tests that make recordings and feeds by hand."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import replace
from typing import Any

import numpy as np

from hil.recording.signals import Signals
from hil.recording.writer import RecordingWriter
from hil.stations.arm.signals import SIGNALS as ARM
from hil.stations.platform.signals import SIGNALS as PLATFORM


def unpacked(signals: Signals, payload: bytes) -> dict[str, Any]:
    """Signal → its value, or a tuple of its values."""
    flat, start, values = signals.struct.unpack(payload), 1, dict[str, Any]()
    for one in signals.fields:
        group = flat[start : start + one.count]
        values[one.name] = group if one.count > 1 else group[0]
        start += one.count
    return values


def row_type(signals: Signals) -> Any:
    """A named tuple of all signals; what is left out is not there, or 0."""
    missing = [
        (math.nan if one.type == "f8" or one.there else 0,) * one.count for one in signals.shown
    ]
    defaults = [value[0] if len(value) == 1 else value for value in missing]
    names = [one.name for one in signals.shown]

    class Row(namedtuple("Row", names, defaults=defaults)):
        def to_bytes(self) -> bytes:
            values = self._asdict()
            for signal in signals.fields:
                if signal.there:
                    there = not any(math.isnan(value) for value in values[signal.name])
                    values[signal.there] = int(there)
                    if not there:
                        del values[signal.name]
            return signals.row(**values)

        @classmethod
        def from_bytes(cls, payload: bytes) -> Row:
            values = unpacked(signals, payload)
            for signal in signals.fields:
                if signal.there and not values.pop(signal.there):
                    values[signal.name] = (math.nan,) * signal.count
            return cls(**values)

    return Row


CycleFrame = row_type(PLATFORM)
ArmFrame = row_type(ARM)
NAN6 = (math.nan,) * 6


def with_codes(signals: Signals, *codes: tuple[str, ...]) -> Signals:
    """The same table with other names of its codes."""
    names = dict(zip([one.name for one in signals.coded], codes, strict=True))
    fields = [replace(one, codes=names.get(one.name, one.codes)) for one in signals.fields]
    return replace(signals, fields=tuple(fields))


ARM_WITH_MODES = with_codes(ARM, *[one.codes for one in PLATFORM.coded])
"""The arm's rows with the platform's names of codes."""


def add_row(writer: RecordingWriter, payload: bytes, number: int) -> None:
    """Write one row."""
    writer.add_rows(np.frombuffer(payload, np.uint8)[None], number)
