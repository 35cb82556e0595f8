"""Whether OpenGL can be had here, asked before a widget needs it."""

from typing import Final

from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext

LEAST: Final = (2, 1)
"""Version of OpenGL that the programs are written for."""

_WITHOUT: Final = ("offscreen", "minimal", "vnc", "linuxfb")
"""Platforms of Qt that have no OpenGL; some of them only say so when a widget is shown."""


def opengl_problem() -> str:
    """Return why OpenGL cannot be had, or an empty string if it can."""
    platform = QGuiApplication.platformName()
    if platform in _WITHOUT:
        return f"the Qt platform {platform} has no OpenGL"
    context = QOpenGLContext()
    if not context.create():
        return "no OpenGL context can be made"
    surface = QOffscreenSurface()
    surface.setFormat(context.format())
    surface.create()
    if not context.makeCurrent(surface):
        return "an OpenGL context cannot be used"
    version = context.format().version()
    embedded = context.isOpenGLES()
    context.doneCurrent()
    if embedded:
        return "only OpenGL ES is here"
    if version < LEAST:
        return f"OpenGL {version[0]}.{version[1]}, at least {LEAST[0]}.{LEAST[1]} is needed"
    return ""
