"""Which key it was: by name where the layout has Latin letters, by place where it has none."""

import re
from pathlib import Path

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

import hil.panel
from hil.panel.widgets.key_codes import key_of, place_of

RUSSIAN = "ЙЦУКЕНГШЩЗХЪ", "ФЫВАПРОЛД", "ЯЧСМИТЬ"
LATIN = "QWERTYUIOP[]", "ASDFGHJKL", "ZXCVBNM"
FIRST = (24, 38, 52)
"""Number in X11 of the first letter of each row."""


def event(key, place=0, kind=QEvent.Type.KeyPress):
    return QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, place, 0, 0)


@pytest.mark.parametrize("row", range(3))
def test_a_russian_letter_is_the_latin_one_on_the_same_key(row):
    for place, (russian, latin) in enumerate(zip(RUSSIAN[row], LATIN[row], strict=True)):
        assert key_of(event(ord(russian), FIRST[row] + place)) == Qt.Key(ord(latin))


def test_a_key_that_the_layout_names_keeps_its_name_wherever_it_is():
    assert key_of(event(Qt.Key.Key_A, 24)) == Qt.Key.Key_A
    assert key_of(event(Qt.Key.Key_Udiaeresis, 34)) == Qt.Key.Key_Udiaeresis
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_F12, Qt.Key.Key_Left, Qt.Key.Key_Space):
        assert key_of(event(key, 25)) == key


def test_a_letter_whose_place_is_not_told_or_bears_no_other_is_what_it_is():
    assert key_of(event(ord("Ц"))) == ord("Ц")
    assert key_of(event(ord("Ж"), 47)) == ord("Ж")


def test_a_key_is_the_same_when_it_comes_up_under_another_name():
    up = QEvent.Type.KeyRelease
    assert place_of(event(Qt.Key.Key_W, 25)) == place_of(event(ord("Ц"), 25, up))
    assert place_of(event(Qt.Key.Key_W, 25)) != place_of(event(Qt.Key.Key_W, 26))
    assert place_of(event(Qt.Key.Key_W)) == place_of(event(Qt.Key.Key_W, 0, up))
    assert place_of(event(Qt.Key.Key_W)) != place_of(event(Qt.Key.Key_S))


def test_who_asks_for_a_letter_asks_by_its_place_as_well():
    letters = re.compile(r"Key_(?:[A-Z]|BracketLeft|BracketRight)\b")
    asking = {}
    for path in Path(hil.panel.__path__[0]).rglob("*.py"):
        if letters.search(source := path.read_text()):
            asking[f"{path.parent.name}/{path.name}"] = "key_of(" in source
    table = asking.pop("scope/view.py")  # a table that ScopeKeys looks up
    assert not table
    assert "key_of(" in Path(hil.panel.__path__[0], "scope", "tools.py").read_text()
    by_themselves = {"live/timeline_view.py", "scene/gl_canvas.py", "study/replay_view.py"}
    assert by_themselves <= asking.keys()
    assert all(asking.values()), asking
