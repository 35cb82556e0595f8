"""SAC and miniSEED, laid out by `struct` as their manuals say: the numbers, and no unit guessed."""

import struct
import sys

import numpy as np
import pytest

from hil.config.errors import MotionError
from hil.config.settings import ConfigError
from hil.stations.platform.motion.columns import ColumnMap, TimeMap
from hil.stations.platform.motion.components import read_rows
from hil.stations.platform.motion.formats import header_of, read_recording
from hil.stations.platform.plan.recording_scenario import recorded_table

POINTS = 300
VALUES = (100.0 * np.sin(0.1 * np.arange(POINTS))).astype(np.float32)


def sac(
    order="<", version=6, channel="HNE", points=None, kind=1, even=1, values=VALUES, idep=-12345
):
    """SAC User Manual, Data File Format: words 0 to 69 floats, 70 to 109 integers, then K8."""
    floats, whole = [-12345.0] * 70, [-12345] * 40
    floats[0], floats[5] = 0.01, 3.25  # DELTA, B
    whole[6], whole[9] = version, len(values) if points is None else points  # NVHDR, NPTS
    whole[15], whole[35] = kind, even  # IFTYPE, LEVEN
    whole[16] = idep  # SAC User Manual: IDEP follows IFTYPE
    words = [b"-12345  "] * 24  # KSTNM; KEVNM has two; KCMPNM is the 21st
    words[0], words[20] = b"STAT    ", channel.encode().ljust(8)
    data = struct.pack(f"{order}70f40i", *floats, *whole) + b"".join(words)
    data += np.asarray(values, f"{order}f4").tobytes()
    return data + (struct.pack(f"{order}22d", 0.01, *[0.0] * 21) if version == 7 else b"")


def record(channel, values, second=0, rate=100, number=1, station="STAT", encoding=4):
    """A record of miniSEED 2 (SEED Manual 2.4, chapter 8): header, blockette 1000, numbers."""
    head = f"{number:06d}D {station:<5}00{channel}XX".encode()
    time = struct.pack(">HHBBBBH", 2026, 59, 12, 0, second, 0, 0)
    counts = struct.pack(">HhhBBBBlHH", len(values), rate, 1, 0, 0, 0, 1, 0, 64, 48)
    blockette = struct.pack(">HHBBBB", 1000, 0, encoding, 1, 11, 0)  # 2048 bytes, big-endian
    kind = {1: ">i2", 3: ">i4", 4: ">f4", 5: ">f8"}[encoding]
    data = head + time + counts + blockette
    return (data.ljust(64, b"\0") + np.asarray(values, kind).tobytes()).ljust(2048, b"\0")


def miniseed(channels=("HNE", "HNN", "HNZ"), **more):
    return b"".join(record(one, (k + 1) * VALUES, **more) for k, one in enumerate(channels))


def read(tmp_path, data, name, columns):
    path = tmp_path / name
    path.write_bytes(data)
    return read_recording(path, ["t_s", *columns])


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [6, 7])
def test_a_sac_file_has_the_numbers_that_were_written(tmp_path, order, version):
    table = read(tmp_path, sac(order, version), "a.SAC", ["HNE"])
    assert np.array_equal(table.columns["HNE"], VALUES.astype(np.float64))
    np.testing.assert_allclose(table.columns["t_s"], 0.01 * np.arange(POINTS), atol=1e-12)


@pytest.mark.parametrize("encoding", [1, 3, 4, 5])
def test_three_channels_of_miniseed_are_read_together(tmp_path, encoding):
    values = np.round(VALUES) if encoding < 4 else VALUES
    data = b"".join(
        record(one, (k + 1) * values[part], second=2 * (part.start // 200), encoding=encoding,
               number=1 + part.start // 200)
        for part in (slice(0, 200), slice(200, 300)) for k, one in enumerate(("HNE", "HNN", "HNZ"))
    )  # fmt: skip
    table = read(tmp_path, data, "a.mseed", ["HNE", "HNN", "HNZ"])
    for k, name in enumerate(("HNE", "HNN", "HNZ")):
        assert np.array_equal(table.columns[name], ((k + 1) * values).astype(np.float64))
    np.testing.assert_allclose(table.columns["t_s"], 0.01 * np.arange(POINTS), atol=1e-12)
    assert header_of(tmp_path / "a.mseed") == ("t_s", "HNE", "HNN", "HNZ")


@pytest.mark.parametrize(("name", "data"), [("a.sac", sac()), ("a.mseed", miniseed())])
def test_the_unit_is_asked_for(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ConfigError, match="'HNE' does not end in a unit; write COLUMN:UNIT, one"):
        recorded_table("paper", path, ["x=HNE"])
    found = recorded_table("paper", path, ["x=HNE:gal"])["motion"]["map"]
    assert found == {"x": {"column": "HNE", "unit": "gal"}}
    with pytest.raises(ConfigError, match="map them with --map AXIS=COLUMN; there are: t_s, HNE"):
        recorded_table("paper", path, [])


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.sac", sac()[:-4], r"NPTS is 300, which takes 1832 bytes, and the file has 1828"),
        ("a.sac", sac()[:500], "is no SAC file of version 6 or 7"),
        ("a.sac", sac(points=-5), "NPTS is -5"),
        ("a.sac", sac(kind=4), "IFTYPE is 4, LEVEN 1: a time series"),
        ("a.sac", sac(even=0), "LEVEN 0"),
        ("a.sac", sac(idep=9), r"IDEP is 9: 6 \(IDISP: .* 5 \(IUNKN: unknown\)"),
        ("a.sac", sac(idep=9, order=">"), "IDEP is 9"),
        ("a.sac", sac(values=[1.0, np.nan]), r"channel HNE, sample 2: is nan"),
        ("a.sac", b"", "is no SAC file"),
        ("a.mseed", b"", "miniSEED|no samples"),
        ("a.mseed", b"t_s,x\n" * 300, "is not miniSEED"),
        ("a.mseed", miniseed()[:-1500], "is cut off"),
        ("a.mseed", record("HNE", VALUES) + record("HNE", VALUES, second=9, number=2),
         "H_N_E has 2 pieces .* a record without gaps is needed"),
        ("a.mseed", record("HNE", VALUES) + record("HNN", VALUES, second=1),
         r"H_N_N has 100 Hz and begins \+1 s after .*H_N_E"),
        ("a.mseed", record("HNE", VALUES) + record("HNN", VALUES, rate=50), "H_N_N has 50 Hz"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused(tmp_path, name, data, words):
    with pytest.raises(MotionError, match=words):
        read(tmp_path, data, name, ["HNE"])


KINDS = {"displacement": ("m", "cm", "mm", "um", "in", "ft"), "velocity": ("m_s", "cm_s", "mm_s"),
         "acceleration": ("m_s2", "g", "gal"), "angle": ("rad", "deg", "mrad")}  # fmt: skip
SAID = {6: "displacement", 7: "velocity", 8: "acceleration", 50: "velocity"}
"""IDEP of SAC's own `sac.h`."""


def rows_of(path, unit, scale=1.0):
    axis = "alpha" if unit in KINDS["angle"] else "x"
    maps = [ColumnMap(axis, "HNE", unit, scale)]
    return read_rows(path, maps, TimeMap(), 1.0)[2]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [6, 7])
@pytest.mark.parametrize("idep", [5, 6, 7, 8, 50, -12345, 0])
def test_a_unit_of_another_quantity_than_the_header_s_is_refused(tmp_path, order, version, idep):
    path = tmp_path / "a.sac"
    path.write_bytes(sac(order, version, idep=idep))
    for quantity, units in KINDS.items():
        for unit in units:
            if idep not in SAID or quantity == SAID[idep]:
                assert np.abs(rows_of(path, unit)).max() > 0.0
                continue
            with pytest.raises(
                MotionError, match=rf"IDEP = {idep} .*{SAID[idep]}.*{unit}: {quantity}"
            ):
                rows_of(path, unit)


@pytest.mark.parametrize(
    ("idep", "unit", "scale", "told"),
    [
        (8, "gal", 1.0, "IACC: acceleration in nm/s2), and the numbers of 'HNE' are taken in gal"),
        (8, "gal", 1e-7, ""),
        (8, "m_s2", -1e-9, ""),
        (7, "m_s", 1e-9, ""),
        (6, "mm", 1e-6, ""),
        (6, "mm", 1.0, "IDISP: displacement in nm"),
        (50, "m_s", 2.0, "in volts), and the numbers of 'HNE' are taken in m_s times 2,"),
        (5, "gal", 1.0, ""),
    ],
)  # fmt: skip
def test_another_unit_of_the_same_quantity_is_told(tmp_path, caplog, idep, unit, scale, told):
    path = tmp_path / "a.sac"
    path.write_bytes(sac(idep=idep))
    rows_of(path, unit, scale)
    assert told in caplog.text
    assert bool(told) == bool(caplog.text)


def steim1(last):
    """Thirteen numbers as differences (SEED Manual 2.4, appendix B): X0, and Xn as a check."""
    numbers = [5, 7, -3, 1000, 2, 2, 2, -50, 0, 1, 2, 3, 4]
    steps = [0, *np.diff(numbers).tolist()]
    control = sum(3 << (2 * (15 - k)) for k in range(3, 16))  # one step of 32 bits a word
    data = bytearray(record("HNZ", [], encoding=4).ljust(2048, b"\0"))
    data[30:32], data[52:53] = struct.pack(">H", len(numbers)), bytes([10])
    data[64:128] = struct.pack(">I2i13i", control, numbers[0], last, *steps)
    return bytes(data), numbers


def test_compressed_numbers_are_read_and_a_damaged_record_is_refused(tmp_path):
    data, numbers = steim1(last=4)
    assert read(tmp_path, data, "a.mseed", ["HNZ"]).columns["HNZ"].tolist() == numbers
    with pytest.raises(MotionError, match=r"is damaged: .*integrity"):
        read(tmp_path, steim1(last=5)[0], "a.mseed", ["HNZ"])


def test_stations_of_one_channel_s_name_keep_their_own(tmp_path):
    data = record("HNZ", VALUES) + record("HNZ", 2 * VALUES, station="TWO")
    path = tmp_path / "a.mseed"
    path.write_bytes(data)
    names = header_of(path)[1:]
    assert [("STAT" in one, "TWO" in one) for one in names] == [(True, False), (False, True)]
    assert read_recording(path, ["t_s", names[1]]).columns[names[1]][1] == 2.0 * VALUES[1]


def test_without_the_extra_its_name_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymseed", None)
    with pytest.raises(MotionError, match=r"pip install 'hil-bench\[seismic\]'"):
        read(tmp_path, miniseed(), "a.mseed", ["HNE"])
