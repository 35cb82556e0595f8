"""The stations' tables of signals tell what their recordings have always told."""

from __future__ import annotations

import random

import pytest
from rosbags.typesys import get_types_from_msg

from hil.recording.arm_frame import ARM
from hil.recording.layout import Layout
from hil.recording.layouts import PLATFORM
from hil.recording.signals import MARK, Signals
from hil.stations.arm.journal import ACTIONS, STATES
from hil.stations.arm.signals import arm_signals
from hil.stations.platform.signals import platform_signals
from safety.modes import Mode
from safety.verdict import Action

MODES = tuple(mode.name for mode in Mode)
TABLES = [
    (platform_signals(MODES, tuple(action.name for action in Action)), PLATFORM),
    (arm_signals(STATES, ACTIONS), ARM),
]


@pytest.mark.parametrize(("table", "layout"), TABLES)
def test_fields_units_and_columns_are_those_of_before(table: Signals, layout: Layout) -> None:
    assert table.station == layout.station
    assert table.columns() == layout.columns()
    codes = {"u1": "B", "u2": "H", "u8": "Q", "f8": "d"}
    assert [(one.name, codes[one.type], one.count, one.unit) for one in table.fields] == [
        (row.name, row.code, row.count, row.unit) for row in layout.fields
    ]


@pytest.mark.parametrize(("table", "layout"), TABLES)
def test_a_row_holds_the_values_of_a_frame_bit_for_bit(table: Signals, layout: Layout) -> None:
    frame = random.Random(3).randbytes(layout.frame.size)
    flat = layout.frame.unpack(frame)
    back = table.struct.unpack(table.struct.pack(MARK, *flat))[1:]
    assert layout.frame.pack(*back) == frame


@pytest.mark.parametrize(("table", "layout"), TABLES)
def test_the_message_names_every_code_and_field(table: Signals, layout: Layout) -> None:
    (constants, fields), *_ = get_types_from_msg(table.message(), table.schema_name).values()
    assert [name for name, _ in fields] == [row.name for row in layout.fields]
    coded = [one for one in table.fields if one.codes]
    assert tuple(one.name for one in coded) == layout.codes
    assert len(constants) == sum(len(one.codes) for one in coded)
