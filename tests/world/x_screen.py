"""A screen of a test's own, and hands on its mouse and keyboard: X by its C libraries."""

import ctypes as c
import os
import shutil
import subprocess

import numpy as np

WIDTH, HEIGHT = 1366, 768
LEFT, RIGHT = 1, 3
CONTROL = 0xFFE3
"""Of the keyboard, as X names keys."""
_ALL_PLANES, _ZPIXMAP = 0xFFFFFFFF, 2


class _Image(c.Structure):
    """The beginning of XImage (Xlib.h)."""

    _fields_ = [
        ("width", c.c_int), ("height", c.c_int), ("xoffset", c.c_int), ("format", c.c_int),
        ("data", c.c_void_p), ("byte_order", c.c_int), ("bitmap_unit", c.c_int),
        ("bitmap_bit_order", c.c_int), ("bitmap_pad", c.c_int), ("depth", c.c_int),
        ("bytes_per_line", c.c_int), ("bits_per_pixel", c.c_int),
    ]  # fmt: skip


def why_none():
    """Why there can be no such screen here; empty if there can."""
    if shutil.which("Xvfb") is None:
        return "no Xvfb (apt install xvfb)"
    for name in ("libX11.so.6", "libXtst.so.6"):
        try:
            c.CDLL(name)
        except OSError as error:
            return f"{error} (apt install libxtst6)"
    return ""


class Screen:
    """Xvfb, until it is closed."""

    def __init__(self):
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-nolisten", "tcp", "-screen", "0",
             f"{WIDTH}x{HEIGHT}x24"],
            pass_fds=(write,), stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        with os.fdopen(read) as told:
            self.name = f":{told.readline().strip()}"
        self._x, self._test = c.CDLL("libX11.so.6"), c.CDLL("libXtst.so.6")
        self._x.XOpenDisplay.restype = self._x.XGetImage.restype = c.c_void_p
        self._x.XDefaultRootWindow.restype = c.c_ulong
        self._x.XKeysymToKeycode.restype = c.c_ubyte
        self._display = c.c_void_p(self._x.XOpenDisplay(self.name.encode()))
        self._root = c.c_ulong(self._x.XDefaultRootWindow(self._display))

    @property
    def environment(self):
        """Of a process whose windows are to be here."""
        return {"DISPLAY": self.name, "WAYLAND_DISPLAY": ""}

    def picture(self):
        """All of it, RGB, shape (rows, columns, 3)."""
        size = (c.c_int(0), c.c_int(0), c.c_uint(WIDTH), c.c_uint(HEIGHT))
        found = self._x.XGetImage(
            self._display, self._root, *size, c.c_ulong(_ALL_PLANES), c.c_int(_ZPIXMAP)
        )
        image = c.cast(found, c.POINTER(_Image)).contents
        data = c.cast(image.data, c.POINTER(c.c_ubyte))
        rows = np.ctypeslib.as_array(data, (HEIGHT, image.bytes_per_line))
        return rows.reshape(HEIGHT, -1, 4)[:, :WIDTH, 2::-1].copy()

    def move(self, x, y):
        """Move the mouse there."""
        self._test.XTestFakeMotionEvent(
            self._display, c.c_int(-1), c.c_int(int(x)), c.c_int(int(y)), c.c_ulong(0)
        )
        self._sync()

    def button(self, number, *, down):
        """Press a button of the mouse, or let it go."""
        self._test.XTestFakeButtonEvent(
            self._display, c.c_uint(number), c.c_int(down), c.c_ulong(0)
        )
        self._sync()

    def key(self, name, *, down):
        """Press a key, or let it go."""
        code = self._x.XKeysymToKeycode(self._display, c.c_ulong(name))
        self._test.XTestFakeKeyEvent(self._display, c.c_uint(code), c.c_int(down), c.c_ulong(0))
        self._sync()

    def strike(self, name):
        """Press a key and let it go."""
        self.key(name, down=True)
        self.key(name, down=False)

    def close(self):
        """End it."""
        self._x.XCloseDisplay(self._display)
        self._server.terminate()
        self._server.wait(10)

    def _sync(self):
        self._x.XSync(self._display, c.c_int(0))
