"""OpenGL's functions, asked of the driver one by one: a few dozen, where packages load thousands.

Names, values and types are those of the Khronos registry (gl.xml), for OpenGL 2.1. A context must
be current for every call. The driver keeps errors to itself until it is asked: see `Calls.check`.
"""

import ctypes
from collections.abc import Callable
from ctypes import c_char_p, c_float, c_int, c_ssize_t, c_ubyte, c_uint, c_void_p
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QOpenGLContext

ARRAY_BUFFER: Final = 0x8892
BGRA: Final = 0x80E1
BLEND: Final = 0x0BE2
COLOR_BUFFER_BIT: Final = 0x4000
COMPILE_STATUS: Final = 0x8B81
CULL_FACE: Final = 0x0B44
CW: Final = 0x0900
DEPTH_BUFFER_BIT: Final = 0x0100
DEPTH_TEST: Final = 0x0B71
STATIC_DRAW: Final = 0x88E4
ELEMENT_ARRAY_BUFFER: Final = 0x8893
FLOAT: Final = 0x1406
FRAGMENT_SHADER: Final = 0x8B30
INFO_LOG_LENGTH: Final = 0x8B84
LINES: Final = 0x0001
LINE_STRIP: Final = 0x0003
LINK_STATUS: Final = 0x8B82
ONE: Final = 1
ONE_MINUS_SRC_ALPHA: Final = 0x0303
RENDERER: Final = 0x1F01
SRC_ALPHA: Final = 0x0302
TRIANGLES: Final = 0x0004
UNSIGNED_BYTE: Final = 0x1401
UNSIGNED_INT: Final = 0x1405
VERTEX_SHADER: Final = 0x8B31

_ERRORS: Final = {
    0x0500: "invalid enum", 0x0501: "invalid value", 0x0502: "invalid operation",
    0x0503: "stack overflow", 0x0504: "stack underflow", 0x0505: "out of memory",
    0x0506: "invalid framebuffer operation",
}  # fmt: skip
_ERRORS_MOST: Final = 16
"""Most errors that are read: a lost context may report errors for ever."""

_FORMS: Final[dict[str, tuple[Any, ...]]] = {
    "glAttachShader": (None, c_uint, c_uint),
    "glBindAttribLocation": (None, c_uint, c_uint, c_char_p),
    "glBindBuffer": (None, c_uint, c_uint),
    "glBlendFuncSeparate": (None, c_uint, c_uint, c_uint, c_uint),
    "glBufferData": (None, c_uint, c_ssize_t, c_void_p, c_uint),
    "glBufferSubData": (None, c_uint, c_ssize_t, c_ssize_t, c_void_p),
    "glClear": (None, c_uint),
    "glClearColor": (None, c_float, c_float, c_float, c_float),
    "glCompileShader": (None, c_uint),
    "glCreateProgram": (c_uint,),
    "glCreateShader": (c_uint, c_uint),
    "glDeleteShader": (None, c_uint),
    "glDepthMask": (None, c_ubyte),
    "glDisable": (None, c_uint),
    "glDisableVertexAttribArray": (None, c_uint),
    "glDrawArrays": (None, c_uint, c_int, c_int),
    "glDrawElements": (None, c_uint, c_int, c_uint, c_void_p),
    "glEnable": (None, c_uint),
    "glEnableVertexAttribArray": (None, c_uint),
    "glFrontFace": (None, c_uint),
    "glGenBuffers": (None, c_int, c_void_p),
    "glGetError": (c_uint,),
    "glGetProgramInfoLog": (None, c_uint, c_int, c_void_p, c_char_p),
    "glGetProgramiv": (None, c_uint, c_uint, c_void_p),
    "glGetShaderInfoLog": (None, c_uint, c_int, c_void_p, c_char_p),
    "glGetShaderiv": (None, c_uint, c_uint, c_void_p),
    "glGetString": (c_char_p, c_uint),
    "glGetUniformLocation": (c_int, c_uint, c_char_p),
    "glLineWidth": (None, c_float),
    "glLinkProgram": (None, c_uint),
    "glReadPixels": (None, c_int, c_int, c_int, c_int, c_uint, c_uint, c_void_p),
    "glShaderSource": (None, c_uint, c_int, c_void_p, c_void_p),
    "glUniform1f": (None, c_int, c_float),
    "glUniform3fv": (None, c_int, c_int, c_void_p),
    "glUniform4f": (None, c_int, c_float, c_float, c_float, c_float),
    "glUniform4fv": (None, c_int, c_int, c_void_p),
    "glUniformMatrix4fv": (None, c_int, c_int, c_ubyte, c_void_p),
    "glUseProgram": (None, c_uint),
    "glVertexAttribPointer": (None, c_uint, c_int, c_uint, c_ubyte, c_int, c_void_p),
    "glViewport": (None, c_int, c_int, c_int, c_int),
}
"""Result, then arguments. An array goes as its address: see `address`."""


class GlError(RuntimeError):
    """OpenGL cannot be had, or refused something; the message says what."""


class Calls:
    """The functions of one context, as attributes by their names, such as ``calls.glClear``."""

    def __init__(self, context: QOpenGLContext) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Ask the driver for a function, once.

        Raises:
            AttributeError: if it is not one of those above.
            GlError: if the driver does not have it.
        """
        form = _FORMS.get(name)
        if form is None:
            raise AttributeError(f"{name} is none of OpenGL's functions that are used here")
        place = int(self._context.getProcAddress(name.encode()))
        if not place:
            raise GlError(f"the driver has no {name}; need OpenGL 2.1")
        function = ctypes.CFUNCTYPE(*form)(place)
        setattr(self, name, function)
        return function

    def check(self, doing: str) -> None:
        """Raise the errors since the last check.

        Raises:
            GlError: if there were any.
        """
        found: list[str] = []
        while len(found) < _ERRORS_MOST and (code := self.glGetError()):
            found.append(_ERRORS.get(code, f"error {code:#x}"))
        if found:
            raise GlError(f"OpenGL, {doing}: {', '.join(dict.fromkeys(found))}")


def address(array: NDArray[Any]) -> int:
    """Address of an array in memory; the caller keeps it alive.

    Raises:
        ValueError: if its numbers do not lie one after the other.
    """
    if not array.flags.c_contiguous:
        raise ValueError(f"an array of shape {array.shape} with gaps; need a contiguous one")
    return array.ctypes.data


def text_of(ask: Callable[..., Any], number: int, length: int) -> str:
    """The log of a shader or program.

    Args:
        ask: ``glGetShaderInfoLog`` or ``glGetProgramInfoLog``.
        length: of the log, with its final zero [B].
    """
    buffer = ctypes.create_string_buffer(max(1, length))
    ask(number, len(buffer), None, buffer)
    return buffer.value.decode(errors="replace").strip()


def whole(ask: Callable[..., Any], number: int, what: int) -> int:
    """One whole number of a shader or program, by ``glGetShaderiv`` or ``glGetProgramiv``."""
    found = np.zeros(1, np.int32)
    ask(number, what, address(found))
    return int(found[0])
