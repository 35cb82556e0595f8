"""Edits that outlive their process, and an autosave that was damaged."""

import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from diagram_samples import LEVEL, RandomEdits

from hil.config.errors import RefusedError
from hil.diagram.file.write import text_of
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.edits import Delete, PlaceBlock
from hil.panel.diagram.models.journal import journal_path
from hil.panel.diagram.models.line_edits import SetNote, SetParameter
from hil.panel.diagram.models.place_edits import Move

EDITOR = """
import sys
from pathlib import Path
from test_diagram_autosave import versions
for seed, version, whole in versions(Path(sys.argv[1])):
    if whole:
        print(seed, version, flush=True)
"""


def versions(path):
    """Edits without an end: seed, CRC of the version after each change, whether it ends."""
    document, seed = Document(path), 0
    while True:
        seed += 1
        try:
            document.do(RandomEdits(document.file, seed).edit())
        except RefusedError:
            continue
        if seed % 7 == 0:
            yield seed, zlib.crc32(text_of(document.file).encode()), False
            document.undo()
        if seed % 11 == 0:
            yield seed, zlib.crc32(text_of(document.file).encode()), False
            document.redo()
        yield seed, zlib.crc32(text_of(document.file).encode()), True


@pytest.mark.parametrize("edits", [1, 12, 90])
def test_a_process_that_is_killed_in_mid_edit_loses_the_last_edit_at_most(tmp_path, edits):
    path, again = tmp_path / "law.toml", tmp_path / "again.toml"
    for one in (path, again):
        one.write_text(LEVEL)
    child = subprocess.Popen(
        [sys.executable, "-c", EDITOR, str(path)], stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).parent,
    )  # fmt: skip
    told = [child.stdout.readline() for _ in range(edits)]
    child.send_signal(signal.SIGKILL)
    told += child.communicate()[0].splitlines()
    assert path.read_text() == LEVEL
    document = Document(path)
    document.recover()
    recovered = zlib.crc32(text_of(document.file).encode())
    last, version = (int(word) for word in told[-1].split())
    possible = {version}  # and what was kept and not yet printed
    for seed, one, whole in versions(again):
        if seed > last:
            possible.add(one)
            if whole:
                break
    assert recovered in possible
    document.close(discard=True)
    assert not journal_path(path).exists()


def left_behind(folder):
    """A file with unsaved edits whose process is gone."""
    path = folder / "law.toml"
    path.write_text(LEVEL)
    document = Document(path)
    document.do(SetParameter("", "pi", "kp", 3.0))
    document.do(PlaceBlock("", "Gain", (5, 5), name="more", parameters={"k": (1.0, 2.0)}))
    document.do(Delete("", frozenset({"limit"})))
    document.undo()
    document.do(Move("", {"pi": (1, 2)}))
    document.do(SetNote("", "", "é\n"))
    document.close()
    return path, document


def test_a_tail_that_is_torn_loses_its_edit_alone(tmp_path):
    path, document = left_behind(tmp_path)
    whole = journal_path(path).read_bytes()
    texts = set()
    for size in range(whole.index(b"\n") + 1, len(whole) + 1, 7):
        journal_path(path).write_bytes(whole[:size])
        again = Document(path)
        assert again.notice == ""
        steps = again.recover()
        # Lines after the first; of the six one takes back and one replaces what was taken back.
        assert steps == [0, 1, 2, 3, 2, 3, 4][whole[:size].count(b"\n") - 1]
        texts.add(text_of(again.file))
        again.close(discard=True)
    journal_path(path).write_bytes(whole)
    again = Document(path)
    again.recover()
    assert text_of(again.file) == text_of(document.file)
    again.close(discard=True)
    assert len(texts) == 6
    assert path.read_text() == LEVEL


def test_editing_goes_on_behind_a_tail_that_was_torn(tmp_path):
    path, _ = left_behind(tmp_path)
    place = journal_path(path)
    place.write_bytes(place.read_bytes()[:-9])
    document = Document(path)
    document.recover()
    document.do(SetParameter("", "pi", "kp", 8.0))
    document.close()
    again = Document(path)
    assert again.recover() == 4
    assert text_of(again.file) == text_of(document.file)
    again.close(discard=True)


@pytest.mark.parametrize("line", range(6))
def test_a_damaged_autosave_is_told_and_set_aside(tmp_path, line):
    path, _ = left_behind(tmp_path)
    place = journal_path(path)
    data = bytearray(place.read_bytes())
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == 10)]
    data[starts[line] + 20] ^= 4
    place.write_bytes(data)
    document = Document(path)
    assert document.offered is None
    assert f"line {line + 1}: its checksum is wrong" in document.notice
    assert (tmp_path / ".law.toml.edits.damaged1").read_bytes() == bytes(data)
    assert text_of(document.file) != ""
    assert path.read_text() == LEVEL
    assert document.do(SetParameter("", "pi", "kp", 4.0))
    document.close(discard=True)


def test_lines_that_are_whole_and_belong_elsewhere_are_damage(tmp_path):
    path, _ = left_behind(tmp_path)
    place = journal_path(path)
    lines = place.read_bytes().splitlines(keepends=True)
    for wrong in ([], lines[:1] + lines[3:], lines[1:]):
        place.write_bytes(b"".join(wrong))
        document = Document(path)
        assert "damaged" in document.notice
        document.close()


@pytest.mark.parametrize(
    "texts",
    [
        ["[" * 200_000],
        ["9" * 5000],
        ["null"],
        ["[]"],
        ['{"version":1,"text":3}'],
        ['{"version":1,"text":[["a"]]}'],
        ['{"version":1,"text":null}', "[" * 200_000],
        ['{"version":1,"text":null}', "{}"],
        ['{"version":1,"text":null}', '{"do":[[]]}'],
        ['{"version":1,"text":null}', '{"do":{"changes":[["","blocks","a",null,7]]}}'],
        ['{"version":1,"text":null}', '{"do":{"words":"a","changes":[[1,2,3,4,5]]}}'],
        ['{"version":1,"text":null}', '{"undo":{"words":1,"changes":[[[],[],[],[],[]]]}}'],
    ],
    ids=lambda texts: texts[-1][:40],
)
def test_an_autosave_of_anything_is_set_aside(tmp_path, texts):
    path, check, lines = tmp_path / "law.toml", 0, []
    path.write_text(LEVEL)
    for text in texts:
        check = zlib.crc32(text.encode(), check)
        lines.append(b"%08x %s\n" % (check, text.encode()))
    journal_path(path).write_bytes(b"".join(lines))
    document = Document(path)
    assert "damaged" in document.notice
    document.close()


def test_nothing_is_edited_or_saved_before_what_was_left_is_decided(tmp_path):
    path, left = left_behind(tmp_path)
    document = Document(path)
    assert text_of(document.file) != text_of(left.file)
    with pytest.raises(RefusedError, match="recover or discard"):
        document.do(SetParameter("", "pi", "kp", 9.0))
    with pytest.raises(RefusedError, match="recover or discard"):
        document.save()
    document.close()
    again = Document(path)
    assert again.recover() == 4
    assert path.read_text() == LEVEL
    again.save()
    again.close()
    assert path.read_text() == text_of(left.file)
    assert Document(path).offered is None


def test_what_is_discarded_does_not_come_back(tmp_path):
    path, _ = left_behind(tmp_path)
    document = Document(path)
    document.discard()
    document.close()
    again = Document(path)
    assert again.offered is None
    assert path.read_text() == LEVEL
    again.close()


def test_a_file_that_changed_since_is_told_with_the_offer(tmp_path):
    path, left = left_behind(tmp_path)
    path.write_text(LEVEL.replace("kp = 2.0", "kp = 7.0"))
    document = Document(path)
    assert "changed since" in document.notice
    document.recover()
    assert text_of(document.file) == text_of(left.file)
    assert "kp = 7.0" in path.read_text()
    document.close(discard=True)


def test_steps_of_before_a_save_can_be_taken_back_after_a_kill(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LEVEL)
    document = Document(path)
    document.do(SetParameter("", "pi", "kp", 3.0))
    document.do(SetParameter("", "pi", "kp", 4.0))
    document.save()
    document.undo()
    document.undo()
    document.redo()
    document.close()
    again = Document(path)
    again.recover()
    assert again.file.top.blocks["pi"].parameters["kp"] == 3.0
    again.redo()
    assert again.file.top.blocks["pi"].parameters["kp"] == 4.0
    again.close(discard=True)


def test_a_diagram_is_edited_in_one_place_at_a_time(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LEVEL)
    document = Document(path)
    with pytest.raises(RefusedError, match="is being edited elsewhere"):
        Document(path)
    document.close()
    Document(path).close()


def test_editing_goes_on_where_nothing_can_be_kept(tmp_path, monkeypatch):
    path = tmp_path / "law.toml"
    path.write_text(LEVEL)
    document = Document(path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hil.panel.diagram.models.journal.os.write", full)
    assert document.do(SetParameter("", "pi", "kp", 3.0))
    assert "autosave has ended: No space left" in document.notice
    monkeypatch.undo()
    document.save()
    assert "kp = 3.0" in path.read_text()
    document.close()
