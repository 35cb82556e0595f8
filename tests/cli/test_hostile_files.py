"""Files that nobody should have to trust: each ends in one line, soon, in little memory.

The verbs run in processes of their own; the kernel counts their memory and processor time. What
hangs is killed and fails.
"""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard
from mcap.opcode import Opcode
from row_samples import PLATFORM

from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.header import RunHeader
from hil.recording.recorder import Recorder, RecorderRing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, pipes and /proc")

CHILD = Path(__file__).with_name("command_child.py")
MOST_BYTES, MOST_CPU_S = 300e6, 5.0
MARK = b"\0\1\0\0"  # of a row: CDR, little-endian
EVENT = EventRecord(0.0, 0, EventKind.MODE, Level.INFO, "a", "b").to_bytes()


class Ended(NamedTuple):
    """How a verb ended."""

    status: int
    printed: str
    memory_bytes: int
    cpu_s: float


def run_all(verbs: list[list[str]], folder: Path) -> list[Ended]:
    """The ends of verbs that run one after the other."""
    done = subprocess.run(
        [sys.executable, "-P", str(CHILD)], input=json.dumps(verbs), cwd=folder, check=True,
        stdout=subprocess.PIPE, timeout=300, encoding="utf-8",
    )  # fmt: skip
    return [Ended(**one) for one in json.loads(done.stdout)]


TEXTS = {
    "dots": "a" + ".a" * 200_000 + " = 1",
    "quoted dots": '"a"' + " . 'a'" * 60_000 + " = 1",
    "table of dots": "[a" + ".a" * 200_000 + "]",
    "unknown keys": "\n".join(f"k{n} = 1" for n in range(90_000)),
    "some unknown keys": "\n".join(f"k{n} = 1" for n in range(9_000)),
    "arrays": "x = " + "[" * 400 + "]" * 400,
    "very many arrays": "x = " + "[" * 100_000 + "]" * 100_000,
    "inline tables": "x = " + "{a=" * 400 + "1" + "}" * 400,
    "many empty arrays": "x = [" + "[]," * 300_000 + "]",
    "long number": "x = " + "9" * 5000,
    "long date": "x = 1979-05-27T07:32:00." + "9" * 100_000,
    "markup": '"[/x]" = ":m:"',
    "escapes": '"\\u001b[2J\\u0007[/x]" = "\\u001b]0;mine\\u0007"',
    "not UTF-8": "\udcff",
}
"""Settings that are none, by what is wrong with them."""


def _scenarios(folder: Path) -> list[list[str]]:
    verbs = []
    for name, text in TEXTS.items():
        file = folder / f"{name}.toml"
        file.write_bytes(text.encode(errors="surrogateescape"))
        verbs.append(["check", file.name])
    return verbs


def _endless(folder: Path) -> list[list[str]]:
    """What has no end, or nobody who writes it, in each place of a file."""
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    verbs = [["drives", "import", "pipe"], ["drives", "import", "/dev/zero"]]
    for number, place in enumerate(("pipe", "/dev/zero", "/proc/kmsg", "folder")):
        text = f'name = "a"\nrig = "{place}"\n[motion]\nkind = "hold"\nduration_s = 1.0\n'
        (folder / f"rig {number}.toml").write_text(text)
        verbs += [["check", place], ["check", f"rig {number}.toml"], ["report", place]]
        verbs.append(["check", "--rig", "paper", "--motion", place])
    return verbs


def _record(opcode: int, body: bytes) -> bytes:
    return struct.pack("<BQ", opcode, len(body)) + body


def _chunk(packed: bytes, announced: int) -> bytes:
    head = struct.pack("<QQQI", 0, 0, announced, 0) + struct.pack("<I", 4) + b"zstd"
    return _record(Opcode.CHUNK, head + struct.pack("<Q", len(packed)) + packed)


def _message(channel: int, data: bytes) -> bytes:
    return _record(Opcode.MESSAGE, struct.pack("<HIQQ", channel, 0, 0, 0) + data)


def _bombs(folder: Path) -> list[list[str]]:
    """Recordings that are sound up to their first chunk, and what follows."""
    Recorder(RecorderRing.local(slots=16), folder / "sound.mcap", RunHeader(PLATFORM)).finish()
    data = (folder / "sound.mcap").read_bytes()
    head = data[: _first_chunk(data)]
    row = _message(1, MARK + bytes(PLATFORM.size - len(MARK)))
    event = _message(2, EVENT)
    verbs = []
    for name, record in {
        "rows": row, "events": event, "undeclared": _message(99, b""), "unknown": _record(0x7F, b"")
    }.items():  # fmt: skip
        for size, count in ((2**26, 12), (2**23 - 1000, 1)):  # beyond what is unpacked, and below
            content = record * (size // len(record))
            bomb = head + count * _chunk(zstandard.compress(content, 3), len(content))
            assert 400 * len(bomb) < count * size
            (folder / f"{name} {count}.mcap").write_bytes(bomb)
            verbs.append(["export", f"{name} {count}.mcap"])
    (folder / "records.mcap").write_bytes(head + _record(Opcode.MESSAGE_INDEX, bytes(6)) * 10**6)
    return [*verbs, ["report", "records.mcap"]]


def _first_chunk(data: bytes) -> int:
    at = 8
    while data[at] not in (Opcode.CHUNK, Opcode.DATA_END):
        at += 9 + struct.unpack_from("<Q", data, at + 1)[0]
    return at


def judge(verb: list[str], end: Ended) -> None:
    """One line that can be printed, exit 2, within the bounds."""
    told = f"{verb}: exit {end.status}, {end.memory_bytes / 1e6:.0f} MB, {end.cpu_s:.1f} s"
    told += f", {end.printed[:2000]!r}"
    damaged = verb[0] == "export" and " is damaged " in end.printed
    assert end.status == (1 if damaged else 2), told
    assert "Traceback" not in end.printed, told
    assert damaged or end.printed.startswith("error: "), told
    assert all(c.isprintable() or c == "\n" for c in end.printed), told
    assert len(end.printed) < 10_000, told
    assert end.memory_bytes < MOST_BYTES, told
    assert end.cpu_s < MOST_CPU_S, told


def test_no_file_costs_more_than_a_line(tmp_path):
    verbs = [*_scenarios(tmp_path), *_endless(tmp_path), *_bombs(tmp_path)]
    for verb, end in zip(verbs, run_all(verbs, tmp_path), strict=True):
        judge(verb, end)
