"""A scene on the graphics card: sent once, then placed anew for each picture."""

import ctypes

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from hil.panel.gl_program import NORMAL, POSITION, TAGS, Program
from hil.panel.models.scene_colours import GHOST_ALPHA, SceneColours
from hil.panel.models.scene_figure import TRACE_POINTS, Build, Figure

Floats = NDArray[np.float32]

_FLOAT_BYTES = 4
_CORNER_BYTES = 8 * _FLOAT_BYTES


class Drawing:
    """A scene in one OpenGL context, which must be current for every call.

    Args:
        build: what is drawn.
        version: of OpenGL.
    """

    def __init__(self, build: Build, version: tuple[int, int]) -> None:
        self._build = build
        packed = build.packed
        self._bodies = Program("body", version, len(build.parts), len(build.slots))
        self._lines = Program("line", version)
        self._corners = _buffer(GL.GL_ARRAY_BUFFER, packed.corners)
        self._faces = _buffer(
            GL.GL_ELEMENT_ARRAY_BUFFER, np.vstack([packed.solid_faces, packed.ghost_faces])
        )
        self._counts = (3 * len(packed.solid_faces), 3 * len(packed.ghost_faces))
        self._floor = _buffer(GL.GL_ARRAY_BUFFER, build.ground.lines_m.astype(np.float32))
        self._trace = _buffer(GL.GL_ARRAY_BUFFER, np.zeros((TRACE_POINTS, 3), np.float32))
        self._trace_serial = -1

    def draw(
        self, figure: Figure, colours: SceneColours, view: Floats, light: Floats, scale: float
    ) -> None:
        """Draw one picture into the current framebuffer.

        Args:
            figure: where everything is.
            colours: of the roles.
            view: from the scene to the screen upside down, column by column, shape (16,).
            light: direction of the lamp in the scene's axes, unit vector, shape (3,).
            scale: device pixels in a pixel of the window.
        """
        GL.glClearColor(*colours.rgba("background"))
        GL.glClear(int(GL.GL_COLOR_BUFFER_BIT) | int(GL.GL_DEPTH_BUFFER_BIT))
        GL.glEnable(GL.GL_DEPTH_TEST)
        self._draw_lines(self._floor, len(self._build.ground.lines_m), colours, view, scale)
        GL.glEnable(GL.GL_CULL_FACE)
        GL.glFrontFace(GL.GL_CW)  # the picture is drawn upside down
        self._draw_bodies(figure, colours, view, light)
        GL.glDisable(GL.GL_CULL_FACE)
        if len(figure.trace_m):
            GL.glDisable(GL.GL_DEPTH_TEST)  # a path is to be seen where the arm covers it, too
            self._send_trace(figure)
            self._draw_lines(self._trace, len(figure.trace_m), colours, view, scale)
        GL.glUseProgram(0)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, 0)

    def _draw_lines(
        self, buffer: int, count: int, colours: SceneColours, view: Floats, scale: float
    ) -> None:
        path = buffer == self._trace
        GL.glUseProgram(self._lines.number)
        GL.glUniformMatrix4fv(self._lines.place("u_view"), 1, False, view)
        GL.glUniform4f(self._lines.place("u_colour"), *colours.rgba("trace" if path else "grid"))
        GL.glLineWidth((2.0 if path else 1.0) * scale)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer)
        GL.glEnableVertexAttribArray(POSITION)
        GL.glVertexAttribPointer(POSITION, 3, GL.GL_FLOAT, False, 0, None)
        GL.glDrawArrays(GL.GL_LINE_STRIP if path else GL.GL_LINES, 0, count)
        GL.glDisableVertexAttribArray(POSITION)

    def _send_trace(self, figure: Figure) -> None:
        if figure.trace_serial == self._trace_serial:
            return
        points = np.ascontiguousarray(figure.trace_m, np.float32)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._trace)
        GL.glBufferSubData(GL.GL_ARRAY_BUFFER, 0, points.nbytes, points)
        self._trace_serial = figure.trace_serial

    def _draw_bodies(
        self, figure: Figure, colours: SceneColours, view: Floats, light: Floats
    ) -> None:
        bodies = self._bodies
        GL.glUseProgram(bodies.number)
        placed = np.ascontiguousarray(figure.transforms.transpose(0, 2, 1), np.float32)
        palette = np.array([colours.rgba(role) for role in figure.roles], np.float32)
        GL.glUniformMatrix4fv(bodies.place("u_view"), 1, False, view)
        GL.glUniformMatrix4fv(bodies.place("u_parts"), len(placed), False, placed)
        GL.glUniform4fv(bodies.place("u_palette"), len(palette), palette)
        GL.glUniform3fv(bodies.place("u_light"), 1, light)
        GL.glUniform1f(bodies.place("u_alpha"), 1.0)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._corners)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._faces)
        for place, size, start in ((POSITION, 3, 0), (NORMAL, 3, 3), (TAGS, 2, 6)):
            offset = ctypes.c_void_p(start * _FLOAT_BYTES)
            GL.glEnableVertexAttribArray(place)
            GL.glVertexAttribPointer(place, size, GL.GL_FLOAT, False, _CORNER_BYTES, offset)
        solid, ghost = self._counts
        GL.glDrawElements(GL.GL_TRIANGLES, solid, GL.GL_UNSIGNED_INT, None)
        if ghost:
            self._draw_ghosts(solid, ghost)
        for place in (POSITION, NORMAL, TAGS):
            GL.glDisableVertexAttribArray(place)

    def _draw_ghosts(self, start: int, count: int) -> None:
        """Ghosts lie over what is behind them and hide nothing."""
        GL.glUniform1f(self._bodies.place("u_alpha"), GHOST_ALPHA)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFuncSeparate(
            GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA
        )
        GL.glDepthMask(False)
        offset = ctypes.c_void_p(start * _FLOAT_BYTES)  # a number of a corner has four bytes too
        GL.glDrawElements(GL.GL_TRIANGLES, count, GL.GL_UNSIGNED_INT, offset)
        GL.glDepthMask(True)
        GL.glDisable(GL.GL_BLEND)


def _buffer(target: int, data: NDArray[np.float32] | NDArray[np.uint32]) -> int:
    number = int(GL.glGenBuffers(1))
    GL.glBindBuffer(target, number)
    usage = GL.GL_STATIC_DRAW
    GL.glBufferData(target, data.nbytes, np.ascontiguousarray(data), usage)
    GL.glBindBuffer(target, 0)
    return number
