"""Whatever is left of a file: its complete messages are read, and nothing worse happens."""

import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from mcap.opcode import Opcode
from recording_samples import record, sample_frame

from hil.recording.export import export_csv
from hil.recording.header import RecordingError
from hil.recording.mcap_scan import Caps
from hil.recording.mcap_walk import MAGIC
from hil.recording.reader import Recording

CYCLES = 60


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small recording of six chunks."""
    path = tmp_path_factory.mktemp("whole") / "a.mcap"
    record(path, [sample_frame(index, 0.05) for index in range(CYCLES)])
    return path


def _is_prefix(recording: Recording) -> bool:
    return np.array_equal(recording.column("index"), np.arange(recording.cycles))


def test_any_prefix_of_the_file_gives_a_prefix_of_the_cycles(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    cut = tmp_path / "cut.mcap"
    # Every byte of the front, of the end, where all kinds of records are, and where a chunk ends; a
    # coprime stride between, over chunks that are all alike.
    places = {*range(250), *range(250, len(data) - 500, 71), *range(len(data) - 500, len(data))}
    table, chunks = _record_ends(data, Opcode.CHANNEL)[0], _record_ends(data, Opcode.CHUNK)
    assert len(chunks) == 6
    places |= {end + step for end in chunks for step in range(-2, 11)}
    for place in sorted(places):
        cut.write_bytes(data[:place])
        if place < table:  # without the table of rows nothing of the run can be known
            with pytest.raises(RecordingError, match=r"cut\.mcap: cut off before .*no table of"):
                Recording.open(cut)
            continue
        recording = Recording.open(cut)
        assert _is_prefix(recording)
        assert recording.truncated
        assert recording.damage == ""
        assert recording.gaps == ()
        assert recording.cycles == CYCLES // 6 * sum(end <= place for end in chunks)
    assert recording.cycles == CYCLES


@given(place=st.integers(0, 10**9), value=st.integers(1, 255))
def test_a_changed_byte_is_found_or_harmless(whole: Path, place: int, value: int) -> None:
    data = bytearray(whole.read_bytes())
    data[place % len(data)] ^= value
    broken = whole.with_name("broken.mcap")
    broken.write_bytes(data)
    try:
        recording = Recording.open(broken)
    except RecordingError:
        return
    assert _is_prefix(recording) or recording.gaps
    assert recording.cycles == CYCLES or recording.damage or recording.truncated


def test_a_chunk_that_is_passed_over_is_missed_by_the_digest(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    starts = _record_starts(data, Opcode.CHUNK)
    assert len(starts) == 6
    for start in starts:
        changed = bytearray(data)
        changed[start] = 0x7F  # an opcode nobody knows, which readers must pass over
        (tmp_path / "a.mcap").write_bytes(changed)
        recording = Recording.open(tmp_path / "a.mcap")
        assert recording.cycles < CYCLES
        assert recording.damage


def _record_ends(data: bytes, opcode: int) -> list[int]:
    return [
        start + 9 + struct.unpack_from("<Q", data, start + 1)[0]
        for start in _record_starts(data, opcode)
    ]


def _record_starts(data: bytes, opcode: int) -> list[int]:
    starts, place = [], len(MAGIC)
    while place < len(data) - len(MAGIC):
        found, length = struct.unpack_from("<BQ", data, place)
        if found == opcode:
            starts.append(place)
        place += 9 + length
    return starts


@given(rest=st.binary(max_size=200), op=st.integers(0, 20), length=st.integers(0, 300))
def test_noise_behind_the_magic_does_no_harm(
    whole: Path, rest: bytes, op: int, length: int
) -> None:
    noisy = whole.with_name("noisy.mcap")
    noisy.write_bytes(_front(whole) + struct.pack("<BQ", op, length) + rest)
    assert Recording.open(noisy).cycles == 0
    noisy.write_bytes(MAGIC + struct.pack("<BQ", op, length) + rest)
    with pytest.raises(RecordingError, match=r"noisy\.mcap: .*no table of its rows"):
        Recording.open(noisy)


@pytest.mark.parametrize("content", [b"t_s,x_m\n0,0\n", b"\x00" * 64, b"MCAP", b"\x89PNG\r\n"])
def test_another_file_is_no_recording(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(RecordingError, match="not a recording: it begins with"):
        Recording.open(tmp_path / "other")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"recording\.mcap: cannot be read: No such file"):
        Recording.open(tmp_path)
    with pytest.raises(RecordingError, match=r"gone\.mcap: cannot be read: No such file"):
        Recording.open(tmp_path / "gone.mcap")


def test_a_file_without_a_chunk_is_an_empty_recording_cut_off(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(_front(whole)[:-1])
    recording = Recording.open(tmp_path / "a.mcap")
    assert (recording.cycles, recording.truncated, recording.scenario) == (0, True, None)
    export_csv(recording, tmp_path / "a.csv")
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1


def _front(whole: Path) -> bytes:
    """What stands before the first chunk."""
    data = whole.read_bytes()
    return data[: _record_starts(data, Opcode.CHUNK)[0]]


def _with_chunk(
    front: bytes,
    path: Path,
    announced: int,
    packed: bytes,
    compression: bytes = b"zstd",
    checksum: int = 0,
) -> Path:
    chunk = struct.pack("<QQQI", 0, 0, announced, checksum)
    chunk += struct.pack("<I", len(compression)) + compression
    chunk += struct.pack("<Q", len(packed)) + packed
    path.write_bytes(front + struct.pack("<BQ", Opcode.CHUNK, len(chunk)) + chunk)
    return path


def test_a_chunk_that_unpacks_to_more_than_it_says_is_not_unpacked(
    whole: Path, tmp_path: Path
) -> None:
    bomb = _with_chunk(_front(whole), tmp_path / "a.mcap", 1000, zstandard.compress(bytes(2**28)))
    tracemalloc.start()
    recording = Recording.open(bomb)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**24
    assert "does not unpack to the announced 1000 bytes" in recording.damage
    assert recording.truncated


PASSED_OVER = struct.pack("<BQ", 0x7F, 3) + b"abc"  # a record of a kind that nobody knows


@pytest.mark.parametrize(
    ("announced", "packed", "compression", "checksum", "complaint"),
    [
        (12, PASSED_OVER, b"", 0, ""),
        (12, PASSED_OVER, b"", 1, "checksum of the chunk differs"),
        (10, bytes(10), b"lz4", 0, "compression 'lz4'; zstd or none can be read"),
        (2**40, zstandard.compress(bytes(1000)), b"zstd", 0, f"{2**40} bytes, limit {2**26} bytes"),
    ],
)
def test_a_chunk_counts_only_if_it_is_what_it_says(
    whole: Path, tmp_path: Path, announced: int, packed: bytes, compression: bytes, checksum: int,
    complaint: str,
) -> None:  # fmt: skip
    path = tmp_path / "a.mcap"
    recording = Recording.open(
        _with_chunk(_front(whole), path, announced, packed, compression, checksum)
    )
    assert complaint in recording.damage
    assert bool(recording.damage) is bool(complaint)


@pytest.mark.parametrize(
    ("caps", "words"),
    [
        (Caps(total=30_000), r"sum of all chunks of \d+ bytes, limit 30000 bytes"),
        (Caps(record=1000), r"record of \d+ bytes, limit 1000 bytes"),
    ],
)
def test_more_than_the_caps_is_refused(whole: Path, caps: Caps, words: str) -> None:
    with pytest.raises(RecordingError, match=words):
        Recording.open(whole, caps)


def _message(channel: int, data: bytes) -> bytes:
    body = struct.pack("<HIQQ", channel, 0, 0, 0) + data
    return struct.pack("<BQ", Opcode.MESSAGE, len(body)) + body


@pytest.mark.parametrize("data", [_message(1, b"{}"), _message(9, b"{}"), b"\x05\xff" + bytes(20)])
def test_chunks_of_another_program_do_not_crash_the_reader(
    whole: Path, tmp_path: Path, data: bytes
) -> None:
    topic = b"/platform/rows"
    body = struct.pack("<HHI", 1, 0, len(topic)) + topic + struct.pack("<I", 4) + b"json"
    body += struct.pack("<I", 0)
    channel = struct.pack("<BQ", Opcode.CHANNEL, len(body)) + body
    content = channel + data
    recording = Recording.open(
        _with_chunk(_front(whole), tmp_path / "a.mcap", len(content), content, b"")
    )
    assert recording.cycles == 0
    assert recording.damage


def test_a_checksum_that_differs_is_told(whole: Path, tmp_path: Path) -> None:
    data = bytearray(whole.read_bytes())
    place = data.index(b"sample", data.index(b"scenario.json"))  # inside the attachment
    data[place] ^= 1
    (tmp_path / "a.mcap").write_bytes(data)
    recording = Recording.open(tmp_path / "a.mcap")
    assert "checksum of the attachment differs" in recording.damage
