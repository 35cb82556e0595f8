"""One table of signals: its struct, its dtype, its message text and its names tell the same."""

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcap_ros2._dynamic import generate_dynamic
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from row_samples import unpacked

from hil.recording.rows import dtype_of
from hil.recording.signals import Signal, Signals, SignalsError, Type

HEAD = (Signal("index", "u8"), Signal("t_s", "f8", unit="s"))
LEGS = tuple(f"leg{leg}" for leg in range(1, 7))
TABLE = Signals(
    "swing",
    (
        *HEAD,
        Signal("mode", "u1", unit="code", codes=("off", "controlled stop", "R2D2")),
        Signal("flags", "u2", unit="bits"),
        Signal("inputs_bits", "u4", 6, "bits", parts=LEGS),
        Signal("odd", "u1"),
        Signal("wanted_pose", "f8", 2, "m,rad", "base", parts=("x_m", "alpha_rad")),
        Signal("asked_speed_m_s", "f8", 6, "m/s", parts=LEGS),
        Signal("torque", "f8", 2, "N m", parts=("joint1", "joint2")),
        Signal("last", "u1"),
    ),
)
ROW = (
    7,
    0.25,
    2,
    513,
    (1, 2, 3, 4, 5, 2**32 - 1),
    255,
    (0.5, math.nan),
    (-1.5,) * 6,
    (1e-300, 3.0),
    9,
)

MANY = tuple(map(str, range(1998)))
_TYPES: tuple[Type, ...] = ("u1", "u2", "u4", "u8", "f8")
_HIGHEST = {"u1": 2**8 - 1, "u2": 2**16 - 1, "u4": 2**32 - 1, "u8": 2**64 - 1}


@st.composite
def tables_with_rows(draw: st.DrawFn) -> tuple[Signals, list[Any]]:
    fields: list[Signal] = [*HEAD]
    for number in range(draw(st.integers(0, 7))):
        count = draw(st.integers(1, 4))
        parts = tuple(f"part{part}" for part in range(count)) if count > 1 else ()
        fields.append(Signal(f"s{number}", draw(st.sampled_from(_TYPES)), count, parts=parts))
    row: list[Any] = []
    for signal in fields:
        one = st.floats() if signal.type == "f8" else st.integers(0, _HIGHEST[signal.type])
        values = draw(st.lists(one, min_size=signal.count, max_size=signal.count))
        row.append(values[0] if signal.count == 1 else tuple(values))
    return Signals("drawn", tuple(fields)), row


def _bits(value: Any, kind: Type) -> bytes:
    """Of one value or of several, so that NaN equals itself."""
    try:
        values = list(value)
    except TypeError:
        values = [value]
    if kind == "f8":
        return np.array(values, "<f8").tobytes()
    return repr([int(one) for one in values]).encode()


def _by_mcap_ros2(table: Signals, payload: bytes) -> dict[str, Any]:
    decode = generate_dynamic(table.schema_name, table.message())[table.schema_name]
    message = decode(payload)
    return {signal.name: getattr(message, signal.name) for signal in table.fields}


def _by_rosbags(table: Signals, payload: bytes) -> dict[str, Any]:
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(table.message(), table.schema_name))
    message = store.deserialize_cdr(payload, table.schema_name)
    return {signal.name: getattr(message, signal.name) for signal in table.fields}


def test_the_bytes_of_a_row_are_those_of_the_rules_of_cdr() -> None:
    expected = b"\x00\x01\x00\x00"
    expected += struct.pack("<Qd", 7, 0.25)  # 0 and 8
    expected += bytes([2, 0])  # 16, and one byte to a multiple of two
    expected += struct.pack("<H6I", 513, 1, 2, 3, 4, 5, 2**32 - 1)  # 18, 20 to 44
    expected += bytes([255, 0, 0, 0])  # 44, and three bytes to a multiple of eight
    expected += struct.pack("<2d6d2d", *ROW[6], *ROW[7], *ROW[8]) + bytes([9])
    assert TABLE.pack(ROW) == expected
    assert TABLE.size == len(expected)


BIG = Signals("big", (*HEAD, Signal("a", "u8", 2, parts=("x", "y"))))


@given(drawn=tables_with_rows())
@example(drawn=(BIG, [0, 0.0, (0, 2**63)]))
def test_ros_rosbags_and_numpy_read_what_was_packed(drawn: tuple[Signals, list[Any]]) -> None:
    table, row = drawn
    payload = table.pack(row)
    by_numpy = np.frombuffer(payload, dtype_of(table))[0]
    readers = (
        _by_mcap_ros2(table, payload),
        _by_rosbags(table, payload),
        {signal.name: by_numpy[signal.name] for signal in table.fields},
        unpacked(table, payload),
    )
    for read in readers:
        for signal, value in zip(table.fields, row, strict=True):
            assert _bits(read[signal.name], signal.type) == _bits(value, signal.type), signal


def test_the_names_of_codes_are_constants_of_the_message() -> None:
    text = TABLE.message()
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    assert ["uint8", "MODE_CONTROLLED_STOP=1"] in lines
    assert ["uint8", "MODE_R2D2=2"] in lines
    assert ["float64[6]", "asked_speed_m_s"] in lines
    ((_, (constants, _)),) = get_types_from_msg(text, TABLE.schema_name).items()
    assert [(one[0], one[2]) for one in constants] == [
        ("MODE_OFF", 0),
        ("MODE_CONTROLLED_STOP", 1),
        ("MODE_R2D2", 2),
    ]


def test_columns_say_part_and_unit() -> None:
    assert TABLE.columns()[:11] == [
        "index", "t_s", "mode", "flags",
        "inputs_leg1_bits", "inputs_leg2_bits", "inputs_leg3_bits", "inputs_leg4_bits",
        "inputs_leg5_bits", "inputs_leg6_bits", "odd",
    ]  # fmt: skip
    assert TABLE.columns()[11:14] == ["wanted_x_m", "wanted_alpha_rad", "asked_speed_leg1_m_s"]
    assert TABLE.columns()[-3:] == ["torque_joint1_n_m", "torque_joint2_n_m", "last"]


def test_a_header_gives_the_table_back() -> None:
    assert Signals.from_header(TABLE.header()) == TABLE


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"station": "a", "fields": [{}]},
        {"station": "a", "fields": 3},
        {"station": "a", "fields": [], "first_index": "x"},
        {"station": "a", "fields": [], "first_index": math.inf},
    ],
)
def test_what_is_no_table_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(SignalsError, match="not a table"):
        Signals.from_header(raw)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Signal("speed", "f8", unit=""), "no unit"),
        (lambda: Signal("Speed", "f8"), "lower-case"),
        (lambda: Signal("speed", "f4"), "type 'f4'; there are u1"),  # type: ignore[arg-type]
        (lambda: Signal("speed", "f8", 0), "at least 1"),
        (lambda: Signal("speed", "f8", 2, parts=("x",)), "1 names of parts for 2 values"),
        (lambda: Signal("speed", "f8", 2, parts=("x", "x")), "two parts of one name"),
        (lambda: Signal("mode", "u1", unit="code"), "no names of its codes"),
        (lambda: Signal("mode", "u1", unit="code", codes=("off", "")), "code 1 has no name"),
        (lambda: Signal("mode", "u1", unit="code", codes=("on", "On")), "code 1 has the name of"),
        (lambda: Signal("mode", "u1", codes=("off",)), "the unit is '1'"),
        (lambda: Signal("mode", "f8", unit="code", codes=("off",)), "one unsigned integer"),
        (
            lambda: Signal("m", "u1", unit="code", codes=tuple(f"c{n}" for n in range(257))),
            "not fit",
        ),
        (lambda: Signals("swing", HEAD[::-1]), "the first are index"),
        (lambda: Signals("swing", ()), "the first are index"),
        (lambda: Signals("swing", (*HEAD, Signal("t_s", "f8"))), "'t_s' is there twice"),
        (
            lambda: Signals(
                "swing",
                (*HEAD, Signal("a_x_m", "f8"), Signal("a", "f8", 2, "m", parts=("x", "y"))),
            ),
            "'a_x_m' is there twice",
        ),
        (lambda: Signals("/swing", HEAD), "lower-case"),
        (
            lambda: Signals("s", (*HEAD, Signal("a", "f8", 1998, parts=MANY))),
            "rows of 16004 bytes; at most 16000",
        ),
        (lambda: Signals("s", (*HEAD, Signal("a", "u4", there="b"))), "'b' must be a signal of"),
        (lambda: Signal("a_pose", "f8", 2, frame="base", child="tool", parts=LEGS[:2]), "a pose"),
    ],
)
def test_a_table_that_contradicts_itself_is_never_made(make: Any, words: str) -> None:
    with pytest.raises(SignalsError, match=words):
        make()


@pytest.mark.parametrize("row", [ROW[:-1], (*ROW, 1), (*ROW[:-1], 256), (*ROW[:-1], -1)])
def test_a_row_that_does_not_fit_is_not_packed(row: tuple[Any, ...]) -> None:
    with pytest.raises(struct.error):
        TABLE.pack(row)


@pytest.mark.parametrize("count", [-1, 10**30, 1.5])
def test_a_table_of_a_count_that_is_none_is_refused(count):
    signals = (Signal("index", "u8"), Signal("t_s", "f8"), Signal("x", "f8"))
    header = Signals("a", signals).header()
    header["fields"][2]["count"] = count
    with pytest.raises(SignalsError):
        Signals.from_header(header)
