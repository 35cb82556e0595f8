"""Where benches are found: a folder that nobody else can enter, or none."""

import os
import socket
from pathlib import Path

import pytest

from hil.desk.client import DeskClient, DeskRefusedError
from hil.desk.endpoints import PlaceError, benches, folder, opened, socket_name, sweep, token
from hil.desk.service import listen


@pytest.fixture
def place(tmp_path):
    return tmp_path / "hil-bench"


def test_the_folder_is_the_users_own(monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    assert folder() == Path("/run/user/7/hil-bench")
    for nothing in ("", "relative/path"):
        monkeypatch.setenv("XDG_RUNTIME_DIR", nothing)
        assert folder() == Path(f"/tmp/hil-bench-{os.geteuid()}")


def test_a_token_is_made_once_and_is_nobody_elses(place):
    with pytest.raises(PlaceError, match="No such file"):
        token(place)
    secret = token(place, make=True)
    assert len(secret) == 64
    assert token(place) == token(place, make=True) == secret
    assert place.stat().st_mode & 0o777 == 0o700
    assert (place / "token").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in place.iterdir()] == ["token"]


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o777, 0o701])
def test_a_folder_that_lets_others_in_is_refused(place, mode):
    place.mkdir(mode=0o700)
    place.chmod(mode)
    for attempt in (token, benches, sweep, lambda path: listen(path, "a-1.sock")):
        with pytest.raises(PlaceError, match=f"mode {mode:04o}; need 0700"):
            attempt(place)


def test_a_link_to_a_folder_is_refused(place, tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    place.symlink_to(tmp_path / "real")
    with pytest.raises(PlaceError, match="no link"):
        token(place, make=True)
    assert not list((tmp_path / "real").iterdir())


def test_another_users_folder_is_refused(place, monkeypatch):
    place.mkdir(mode=0o700)
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    with pytest.raises(PlaceError, match=f"belongs to user {mine}"), opened(place):
        pass


@pytest.mark.parametrize("harm", ["mode", "link", "short", "letters", "folder"])
def test_a_token_that_cannot_be_trusted_is_refused(place, tmp_path, harm):
    token(place, make=True)
    path = place / "token"
    if harm == "mode":
        path.chmod(0o640)
    elif harm == "short":
        path.write_text("abc")
    elif harm == "letters":
        path.write_text("z" * 64)
    else:
        path.unlink()
        if harm == "folder":
            path.mkdir()
        else:
            (tmp_path / "other").write_text("5" * 64)
            (tmp_path / "other").chmod(0o600)
            path.symlink_to(tmp_path / "other")
    with pytest.raises(PlaceError, match="token"):
        token(place)


def test_those_that_answer_are_listed_and_the_dead_are_swept(place):
    assert benches(place) == []
    living = listen(place, socket_name("wave", os.getpid()))
    dead = listen(place, "gone-4194305.sock")  # above the kernel's largest process number
    dead.close()
    (place / "notes.txt").touch()
    (found,) = benches(place)
    assert (found.name, found.pid) == ("wave", os.getpid())
    assert found.path == place / f"wave-{os.getpid()}.sock"
    assert found.path.stat().st_mode & 0o777 == 0o600
    sweep(place)
    assert sorted(path.name for path in place.iterdir()) == ["notes.txt", found.path.name]
    living.close()
    assert benches(place) == []


def test_a_socket_of_a_killed_run_with_this_runs_number_is_no_hindrance(place):
    name = socket_name("wave", os.getpid())
    listen(place, name).close()  # killed; in a container the next run has the same number
    with listen(place, name):
        (found,) = benches(place)
        assert found.path.name == name
        with pytest.raises(OSError, match="in use"):  # one that answers is left alone
            listen(place, name)
        assert benches(place) == [found]


def test_a_long_path_is_no_obstacle(tmp_path):
    place = tmp_path / ("long" * 40) / "hil-bench"
    place.parent.mkdir()
    listener = listen(place, socket_name("a" * 200, 7))
    (found,) = benches(place)
    assert found.name == "a" * 60
    listener.close()


@pytest.mark.parametrize("name", ["../up", "a/b", "", "ü", "with space", "nul\0"])
def test_a_runs_name_cannot_leave_the_folder(name):
    made = socket_name(name, 5)
    assert made.endswith("-5.sock")
    assert "/" not in made
    assert made.isascii()
    assert made.isprintable()


@pytest.mark.parametrize("address", ["127.0.0.1:5000", "tcp://10.0.0.1:80", "[::1]:22"])
def test_an_address_of_a_network_is_no_place(address, place, monkeypatch):
    token(place, make=True)
    monkeypatch.chdir(place)
    with pytest.raises(DeskRefusedError, match=r"No such file|no socket"):
        DeskClient.connect(address, "panel")


def test_what_is_no_desk_is_refused(place):
    token(place, make=True)
    (place / "file-1.sock").touch()
    with pytest.raises(DeskRefusedError, match="no socket"):
        DeskClient.connect(place / "file-1.sock", "panel")
    listen(place, "dead-1.sock").close()
    with pytest.raises(DeskRefusedError, match="does that bench still run"):
        DeskClient.connect(place / "dead-1.sock", "panel")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.bind(str(place / "s-1.sock"))
        stream.listen()
        with pytest.raises(DeskRefusedError, match=r"Protocol wrong type|refused"):
            DeskClient.connect(place / "s-1.sock", "panel")
