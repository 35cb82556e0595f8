"""The stations' tables of signals tell what their recordings have always told."""

import hashlib

import pytest
from rosbags.typesys import get_types_from_msg
from row_samples import ARM, PLATFORM

from hil.recording.signals import Signals

COLUMNS_OF_BEFORE = {
    "platform": "b5accf70005b2fa200abdd4208b38a90124e66203c0f84f7441fbfce1902e11c",
    "arm": "c3e85bfd05d4afd8ce755ca7d682db5ada9c2439c8e2bacaeb8115518dd01540",
}
"""SHA-256 of the names of the CSV's columns, by commas, as version 0.3.0 wrote them."""
SINCE = ("sent_stamp_s",)
"""Columns that came since."""


@pytest.mark.parametrize("table", [PLATFORM, ARM], ids=lambda table: table.station)
def test_the_columns_are_those_of_before(table: Signals) -> None:
    names = [name for name in table.columns() if name not in SINCE]
    assert table.columns()[: len(names)] == names  # what is new stands behind
    assert hashlib.sha256(",".join(names).encode()).hexdigest() == COLUMNS_OF_BEFORE[table.station]


@pytest.mark.parametrize("table", [PLATFORM, ARM], ids=lambda table: table.station)
def test_the_message_names_every_code_and_field(table: Signals) -> None:
    (constants, fields), *_ = get_types_from_msg(table.message(), table.schema_name).values()
    assert [name for name, _ in fields] == [one.name for one in table.fields]
    assert len(constants) == sum(len(one.codes) for one in table.coded)
    assert [one.name for one in table.coded] == [
        {"platform": "mode", "arm": "state"}[table.station],
        "action",
    ]
