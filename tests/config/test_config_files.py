"""Files in places of others: what is not a file is not read, a link is never written through."""

import os
import stat
import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.config.files import read_regular, replacing, write_whole
from hil.config.visible_text import visible


@pytest.fixture
def victim(tmp_path):
    """A file of somebody else's, and a link to it where this program is to write."""
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "mine").symlink_to(tmp_path / "theirs")
    return tmp_path / "theirs"


def test_a_link_is_replaced_and_not_written_through(victim, tmp_path):
    write_whole(tmp_path / "mine", b"mine")
    assert (victim.read_bytes(), (tmp_path / "mine").read_bytes()) == (b"theirs", b"mine")
    assert not (tmp_path / "mine").is_symlink()


def test_a_link_that_waits_at_the_new_files_name_is_not_written_through(
    victim, tmp_path, monkeypatch
):
    monkeypatch.setattr(os, "urandom", lambda count: b"\xab" * count)
    (tmp_path / ".out.abababab").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "out", b"mine")
    assert victim.read_bytes() == b"theirs"


def test_what_was_there_stays_until_the_new_file_is_whole(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"before")
    path.chmod(0o640)
    with suppress(RuntimeError), replacing(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert (path.read_bytes(), sorted(os.listdir(tmp_path))) == (b"before", ["a"])
    write_whole(path, b"after", sync=True)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"after", 0o640)


def test_no_more_is_read_than_is_asked_for(tmp_path):
    (tmp_path / "a").write_bytes(bytes(1000))
    assert read_regular(tmp_path / "a", 1000) == bytes(1000)
    with pytest.raises(OSError, match="1000 bytes, at most 999 bytes are read"):
        read_regular(tmp_path / "a", 999)


@pytest.mark.parametrize(("place", "kind"), [("pipe", "a pipe"), ("/dev/zero", "a device")])
def test_what_has_no_end_is_refused_at_once(tmp_path, place, kind):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=f"is {kind}; a regular file is needed"):
        read_regular(tmp_path / place, 10)


@given(st.text())
def test_what_is_shown_is_printable_or_a_blank(text):
    shown = visible(text)
    assert all(c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs" for c in shown)
    assert visible("\x1b[2J\u202e\udcff ±5°\xa0\n") == "\\x1b[2J\\u202e\\udcff ±5°\xa0\n"
