"""Views made one by one: the first picture waits for none of the others."""

import subprocess
import sys

import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtWidgets import QLabel

from hil.panel.live.dock_views import Plain, View
from hil.panel.shell.docks import LazyViews, Maker


class Word(Plain):
    def __init__(self, word):
        super().__init__(QLabel(word))


def views(log, broken=()):
    def maker(name) -> Maker:
        def make() -> View:
            log.append(name)
            if name in broken:
                raise ZeroDivisionError(name)
            return Word(name)

        return make

    return LazyViews(
        {name: maker(name) for name in "abc"}, lambda name, view: log.append((name, view))
    )


def test_views_are_made_in_order_and_each_once(app):
    log = []
    made = views(log)
    assert list(made) == ["a", "b", "c"]
    assert len(made) == 3
    assert made.made == {}
    assert not made.complete
    second = made["b"]
    assert log == ["b", ("b", second)]
    assert made["b"] is second
    made.make_next()
    assert list(made.made) == ["b", "a"]
    assert not made.complete
    made.make_next()
    assert made.complete
    made.make_next()
    assert [name for name in log if isinstance(name, str)] == ["b", "a", "c"]


def test_one_that_cannot_be_made_is_not_tried_again_unless_it_is_asked_for(app):
    log = []
    made = views(log, broken="a")
    with pytest.raises(ZeroDivisionError):
        made.make_next()
    made.make_next()
    made.make_next()
    assert made.complete
    assert list(made.made) == ["b", "c"]
    assert log.count("a") == 1
    with pytest.raises(ZeroDivisionError):
        made["a"]
    with pytest.raises(KeyError):
        made["d"]


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("hil.panel.shell.window", ("scipy.spatial", "scipy.optimize", "pyqtgraph", "numba")),
        (
            "hil.panel.scene.dock_scene, hil.panel.scene.gl_canvas, "
            "hil.stations.platform.scene.platform",
            (
                "scipy",
                "ruckig",
                "arm_driver",
                "numba",
                "pyqtgraph",
                "OpenGL",
                "hil.machines.rig.settings",
            ),
        ),
    ],
)
def test_what_the_first_picture_does_not_need_is_not_loaded_before_it(module, absent):
    asked = f"import sys, {module}; print(*(n for n in {absent!r} if n in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == []
