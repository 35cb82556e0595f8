"""Fixtures of several folders; pytest loads them as a plugin."""

import contextlib
import os

import pytest


@pytest.fixture
def unpainted(monkeypatch):
    """For pages that are about texts: every picture is put together, none becomes dots."""
    paint_nothing(monkeypatch)


@pytest.fixture
def coarse(monkeypatch):
    """For pages whose pictures nobody looks at: all are drawn, in a third of the dots each way."""
    draw_coarsely(monkeypatch)


@pytest.fixture(scope="module")
def unpainted_file():
    """The same for all of a file, what its own fixtures draw included."""
    with pytest.MonkeyPatch.context() as patch:
        paint_nothing(patch)
        yield


def draw_coarsely(patch):
    """Draw every picture in a third of the dots each way."""
    from hil.report import style

    patch.setattr(style, "DPI", 36)


def paint_nothing(patch):
    """Put every picture together, and make no dots of it."""
    from matplotlib.figure import Figure

    patch.setattr(Figure, "savefig", lambda _, file, **__: file.write(b"not painted"))


@pytest.fixture
def third_parts(tmp_path, monkeypatch):
    """A distribution of somebody else's motions and banks is installed."""
    from third_bench import installed

    with installed(tmp_path, monkeypatch):
        yield


@pytest.fixture
def board():
    """An operator's keyboard and the terminal behind it, as descriptors."""
    pair = os.openpty()
    yield pair
    for fd in pair:
        with contextlib.suppress(OSError):
            os.close(fd)


@pytest.fixture(params=["pty", "tcp"])
def adapter(request):
    """The far end of an SLCAN adapter."""
    from slcan_peer import Adapter

    with contextlib.closing(Adapter(request.param)) as peer:
        yield peer


@pytest.fixture
def bus(adapter):
    """The product's bus through the adapter."""
    opened = adapter.open()
    yield opened
    opened.shutdown()


@pytest.fixture(params=["frames", "slcan"])
def link(request, monkeypatch):
    """Scripted nodes are reached over frames, and over the text of an SLCAN adapter."""
    import scripted_bench

    monkeypatch.setattr(scripted_bench, "LINK", request.param)
