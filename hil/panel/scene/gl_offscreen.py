"""OpenGL beside the screen: a picture is drawn into memory and handed over as an image.

Without a graphics card a window that holds an OpenGL widget is put together by OpenGL as a whole,
with every repaint of any of its parts; that costs more than the picture itself. An image is painted
like any other widget's content and leaves the rest of the window alone.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QOffscreenSurface, QOpenGLContext
from PySide6.QtOpenGL import QOpenGLFramebufferObject, QOpenGLFramebufferObjectFormat

from hil.panel.scene import gl_calls as c
from hil.panel.scene.gl_calls import Calls, GlError, address

SAMPLES: Final = 4
"""Samples of each pixel, for smooth edges, where a graphics card does it."""

SOFTWARE: Final = (b"llvmpipe", b"softpipe", b"SwiftShader", b"Software")
"""Names of renderers that are the processor itself; four samples would double their cost."""


class Offscreen:
    """A context of OpenGL with a picture of its own.

    Raises:
        GlError: if no context can be made.
    """

    def __init__(self) -> None:
        self._context = QOpenGLContext()
        if not self._context.create():
            raise GlError("no OpenGL context can be made")
        self.gl = Calls(self._context)
        """Its functions, while it is current."""
        self._surface = QOffscreenSurface()
        self._surface.setFormat(self._context.format())
        self._surface.create()
        self._size = QSize()
        self._drawn: QOpenGLFramebufferObject | None = None
        self._resolved: QOpenGLFramebufferObject | None = None
        self._pixels = np.zeros((1, 1, 4), np.uint8)
        self._make_current()
        renderer = self.gl.glGetString(c.RENDERER) or b""
        self.samples = 0 if any(name in renderer for name in SOFTWARE) else SAMPLES
        self._context.doneCurrent()

    @property
    def version(self) -> tuple[int, int]:
        """Version of OpenGL."""
        major, minor = self._context.format().version()  # pyright: ignore[reportGeneralTypeIssues]
        return int(major), int(minor)

    def picture(self, width_px: int, height_px: int, draw: Callable[[], None]) -> QImage:
        """Draw one picture.

        Args:
            draw: draws into the current framebuffer, upside down: OpenGL counts rows from below,
                an image from above.

        Returns:
            The picture; it is overwritten by the next.

        Raises:
            GlError: if the context is lost, there is no memory for the picture, or the driver
                refused a call.
        """
        self._make_current()
        try:
            self._resize(QSize(width_px, height_px))
            drawn, resolved = self._drawn, self._resolved
            if drawn is None or resolved is None or not drawn.bind():
                raise GlError(f"no framebuffer of {width_px} by {height_px} pixels")
            self.gl.glViewport(0, 0, width_px, height_px)
            draw()
            if resolved is not drawn:
                QOpenGLFramebufferObject.blitFramebuffer(resolved, drawn)
                resolved.bind()
            buffer = address(self._pixels)
            self.gl.glReadPixels(0, 0, width_px, height_px, c.BGRA, c.UNSIGNED_BYTE, buffer)
            resolved.release()
            self.gl.check("drawing the scene")
        finally:
            self._context.doneCurrent()
        stride = 4 * width_px
        return QImage(self._pixels.data, width_px, height_px, stride, QImage.Format.Format_RGB32)

    def prepare(self, make: Callable[[], None]) -> None:
        """Send things to the context before the first picture.

        Raises:
            GlError: if the context is lost.
        """
        self._make_current()
        try:
            make()
        finally:
            self._context.doneCurrent()

    def _make_current(self) -> None:
        if not self._context.makeCurrent(self._surface):
            raise GlError("the OpenGL context cannot be used")

    def _resize(self, size: QSize) -> None:
        if size == self._size:
            return
        form = QOpenGLFramebufferObjectFormat()
        form.setAttachment(QOpenGLFramebufferObject.Attachment.Depth)
        form.setSamples(self.samples)
        self._drawn = QOpenGLFramebufferObject(size, form)
        self._resolved = QOpenGLFramebufferObject(size) if self.samples else self._drawn
        self._pixels = np.zeros((size.height(), size.width(), 4), np.uint8)
        self._size = size
