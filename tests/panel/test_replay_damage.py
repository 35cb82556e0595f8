"""Damaged recordings: read as far as they go, or refused with their path; nothing else happens."""

import math
import random
import re

import numpy as np
import pytest
from row_samples import PLATFORM, CycleFrame, add_row
from test_replay_models import write

from hil.panel.live.models.feed import column
from hil.panel.study.models.compare_work import read_run
from hil.panel.study.models.replay import FileFeed
from hil.panel.widgets.background import Watch
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.recording.writer import RecordingWriter

SPOTS = rb'\["|dropped|lost|signals|codes|outcome|station|scenario'
FILES = 60
"""Files of each kind of damage."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Bytes of a recording."""
    return write(tmp_path_factory.mktemp("sound") / "recording.mcap", 60).read_bytes()


def in_the_facts(data, rng):
    """Bytes that are changed where the run is told of."""
    spots = [found.start() for found in re.finditer(SPOTS, data)]
    for _ in range(rng.choice([1, 2])):
        place = min(rng.choice(spots) + rng.randrange(40), len(data) - 1)
        data[place] = rng.choice([0, 255, rng.randrange(256)])


def anywhere(data, rng):
    """Bytes that are changed in any place."""
    for _ in range(rng.choice([1, 2, 8])):
        data[rng.randrange(len(data))] = rng.randrange(256)


def cut(data, rng):
    """A file that is cut off, and then a byte."""
    del data[rng.randrange(1, len(data)) :]
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


@pytest.mark.parametrize("damage", [in_the_facts, anywhere, cut])
def test_damage_is_refused_with_the_path_or_read_around(tmp_path, sound, damage):
    path, opened, told, refused = tmp_path / "bad.mcap", 0, 0, []
    for seed in range(FILES):
        data = bytearray(sound)
        damage(data, random.Random(f"{damage.__name__} {seed}"))
        path.write_bytes(data)
        try:
            feed = FileFeed.open(path, lambda: 0.0)
            opened += 1
            told += bool(feed.damage)
            assert feed.dropped >= 0
        except RecordingError as error:
            refused.append(str(error))
    assert opened
    assert told
    assert all(why.startswith(f"{path}: ") for why in refused)


def replaced(sound, before, after):
    """A recording with one text exchanged, where it comes first, for one of the same length."""
    assert len(before) == len(after)
    assert before in sound
    return sound.replace(before, after, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'["PASSED","CLAMPED"]', b'["PASSED" "CLAMPED"]'),
        (b'["PASSED","CLAMPED"]', b'{"PASSED":"CLAMPED"}'),
        (b'["PASSED","CLAMPED"]', b'["PASSED", 12345678]'),
        (b'["PASSED","CLAMPED"]', b'["PASSED","\xff\xffAMPED"]'),
        (b'"name":"t_s"', b'"name":"x_s"'),
        (b"dropped\x01\x00\x00\x002", b"dropped\x01\x00\x00\x00x"),
        (b"dropped\x01\x00\x00\x002", b"dropped\x01\x00\x00\x003"),
        (b"dropped\x01\x00\x00\x002", b"dropped\x00\x00\x00\x002"),
    ],
)
def test_what_is_said_of_the_run_is_taken_from_its_second_copy_if_the_first_is_damaged(
    tmp_path, sound, before, after
):
    path = tmp_path / "good.mcap"
    path.write_bytes(sound)
    good = Recording.open(path)
    path.write_bytes(replaced(sound, before, after))
    found = Recording.open(path)
    assert found.damage
    assert found.header == good.header
    assert len(read_run(path, Watch()).rows) == good.cycles


def test_a_damaged_file_whose_index_is_sound_is_read_as_far_as_it_goes(tmp_path, sound):
    path, refused, damaged = tmp_path / "bad.mcap", 0, 0
    for seed in range(FILES):
        data = bytearray(sound)
        anywhere(data, random.Random(f"read {seed}"))
        path.write_bytes(data)
        try:
            feed = FileFeed.open(path, lambda: 0.0)
        except RecordingError:
            refused += 1
            continue
        damaged += bool(feed.damage)
    assert refused < FILES
    assert damaged


def table_of(path):
    """Rows as the panel reads them, and what it tells of damage."""
    feed = FileFeed.open(path, lambda: 0.0)
    return feed.table, feed.damage


def test_the_parts_of_a_run_are_replayed_and_read_as_one_without_what_they_share(tmp_path):
    single = write(tmp_path / "single.mcap", 300)
    first, second = tmp_path / "recording.mcap", tmp_path / "recording-2.mcap"
    header = Recording.open(single).header
    whole, _ = table_of(single)
    payloads = [frame_bytes(row) for row in whole]
    for path, part, numbers in ((first, 1, range(200)), (second, 2, range(150, 300))):
        writer = RecordingWriter(path, header, part=part, sync=False)
        for number in numbers:
            add_row(writer, payloads[number], number)
        writer.flush()
        if part == 2:
            writer.finish({"dropped": "0", "lost": "0"})
        else:
            writer.let_go()
    table, damage = table_of(first)
    np.testing.assert_array_equal(table, whole)
    assert damage == ""
    recording = Recording.open(tmp_path)
    assert recording.parts == (first, second)
    assert recording.column("index").tolist() == whole[:, 0].tolist()
    assert (recording.losses, recording.truncated) == ((), False)
    np.testing.assert_array_equal(read_run(first, Watch()).rows, whole)


def test_what_was_lost_between_two_parts_is_named_with_its_time_range(tmp_path):
    single = write(tmp_path / "single.mcap", 300)
    header = Recording.open(single).header
    whole, _ = table_of(single)
    for part, numbers in ((1, range(100)), (2, range(130, 300))):
        name = "recording.mcap" if part == 1 else f"recording-{part}.mcap"
        writer = RecordingWriter(tmp_path / name, header, part=part, sync=False)
        for number in numbers:
            add_row(writer, frame_bytes(whole[number]), number)
        writer.finish({"dropped": "0", "lost": "30"})
    recording = Recording.open(tmp_path)
    (loss,) = recording.losses
    assert (loss.cycles, loss.damaged) == (30, False)
    ends = (float(whole[99, 1]), float(whole[130, 1]))
    assert (loss.from_s, loss.to_s) == ends
    assert str(loss) == (
        f"{ends[0]:.3f} to {ends[1]:.3f} s, 30 cycles missing: "
        "the recorder ended, recording-2.mcap goes on"
    )


def test_a_file_of_another_run_beside_it_is_no_part(tmp_path):
    write(tmp_path / "recording.mcap", 50)
    write(tmp_path / "recording-2.mcap", 50)
    assert len(Recording.open(tmp_path).parts) == 1


def frame_bytes(row):
    """A row of the platform as it goes into the ring."""
    values = {}
    for one in PLATFORM.shown:
        group = row[column(PLATFORM, one.name)].tolist()
        whole = one.type != "f8" and not math.isnan(group[0])
        group = [int(value) for value in group] if whole else group
        values[one.name] = group if one.count > 1 else group[0]
    return CycleFrame(**values).to_bytes()
