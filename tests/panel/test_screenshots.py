"""A picture for the documents is taken when all views are there, and not before."""

from types import SimpleNamespace

import pytest

pytest.importorskip("PySide6.QtWidgets")

from panel_pictures import Studio
from PySide6.QtCore import QSize


class Views:
    def __init__(self, looks):
        self._left = looks

    @property
    def complete(self):
        self._left -= 1
        return self._left <= 0


def studio(tmp_path, looks, log):
    made = object.__new__(Studio)
    now = [0.0]
    work = SimpleNamespace(msleep=lambda ms: now.__setitem__(0, now[0] + 1e-3 * ms))
    made._app = SimpleNamespace(processEvents=lambda: None, thread=lambda: work)
    made._now_s = lambda: now[0]
    made._out = tmp_path
    picture = SimpleNamespace(save=lambda path: log.append((path, views._left)) or True)
    views = Views(looks)
    made.window = SimpleNamespace(
        views=views,
        session=None,
        resize=lambda size: None,
        docks=SimpleNamespace(settle=lambda run: None),
        grab=lambda: picture,
    )
    return made


def test_a_picture_waits_for_the_views(tmp_path):
    log = []
    studio(tmp_path, 40, log).take("4k", QSize(100, 100))
    assert log == [(str(tmp_path / "panel_4k.png"), 0)]


def test_a_picture_that_would_show_something_else_is_not_kept(tmp_path):
    """The bench stalls before the grab, or while it lasts."""
    for answers in ([False], [True, False]):
        log, looks = [], iter(answers)
        kept = studio(tmp_path, 1, log).take("live", shows=lambda looks=looks: next(looks))
        assert not kept
        assert log == []
    assert studio(tmp_path, 1, []).take("live", shows=lambda: True)


def test_a_bench_that_never_stays_engaged_gives_no_picture(tmp_path):
    made = studio(tmp_path, 1, log := [])
    made._lead_until = lambda done: None
    with pytest.raises(TimeoutError, match="the picture live is not true"):
        made._take_led("live", lambda: False, lambda: True)
    assert not log


def test_no_picture_is_taken_without_them(tmp_path):
    log = []
    with pytest.raises(TimeoutError, match="4k"):
        studio(tmp_path, 10**9, log).take("4k")
    assert not log
