"""Physical keys of a keyboard, whatever the layout makes of them.

A key is pressed and let go under the layout of that moment: if the layout or a modifier changes in
between, its release comes under another name. Only its place on the keyboard stays the same. And
under a layout without Latin letters no key bears the letter that is painted on it beside its own.
"""

import sys
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_XKB_OFFSET: Final = 8
"""X11 and Wayland count keys from here: code of evdev + 8."""
_ROWS: Final = ((16, "QWERTYUIOP[]"), (30, "ASDFGHJKL"), (44, "ZXCVBNM"))
"""Code in evdev of the first key of a row (linux/input-event-codes.h), and what is on its keys."""
_LATIN: Final = {
    first + place + _XKB_OFFSET: Qt.Key(ord(letter))
    for first, letters in _ROWS
    for place, letter in enumerate(letters)
    if sys.platform == "linux"
}
_LATIN_1: Final = 0xFF
_NO_CHARACTER: Final = 0x01000000
"""Qt's keys from here on, such as Escape, stand for no character."""


def place_of(event: QKeyEvent) -> int:
    """Number of the key's place on the keyboard; that of its name, negative, if there is none."""
    return event.nativeScanCode() or -event.key()


def key_of(event: QKeyEvent) -> Qt.Key:
    """The key by its Latin name; under a layout without Latin letters, the one painted on it.

    A Latin layout is believed: what bears a W is W, wherever that layout has it.
    """
    key = event.key()
    if _LATIN_1 < key < _NO_CHARACTER:
        return _LATIN.get(event.nativeScanCode(), Qt.Key(key))
    return Qt.Key(key)
