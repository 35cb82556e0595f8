"""A scene on the graphics card: sent once, then placed anew for each picture."""

import numpy as np
from numpy.typing import NDArray

from hil.panel.scene import gl_calls as c
from hil.panel.scene.gl_calls import Calls, address
from hil.panel.scene.gl_program import NORMAL, POSITION, TAGS, Program
from hil.scene.colours import GHOST_ALPHA, SceneColours
from hil.scene.figure import TRACE_POINTS, Build, Figure

Floats = NDArray[np.float32]

_FLOAT_BYTES = 4
_CORNER_BYTES = 8 * _FLOAT_BYTES


class Drawing:
    """A scene in one OpenGL context, which must be current for every call.

    Raises:
        GlError: if it cannot be sent.
    """

    def __init__(self, gl: Calls, build: Build, version: tuple[int, int]) -> None:
        self._gl = gl
        self._build = build
        packed = build.packed
        self._bodies = Program(gl, "body", version, len(build.parts), len(build.slots))
        self._lines = Program(gl, "line", version)
        self._corners = _buffer(gl, c.ARRAY_BUFFER, packed.corners)
        self._faces = _buffer(
            gl, c.ELEMENT_ARRAY_BUFFER, np.vstack([packed.solid_faces, packed.ghost_faces])
        )
        self._counts = (3 * len(packed.solid_faces), 3 * len(packed.ghost_faces))
        self._floor = _buffer(gl, c.ARRAY_BUFFER, build.ground.lines_m.astype(np.float32))
        self._trace = _buffer(gl, c.ARRAY_BUFFER, np.zeros((TRACE_POINTS, 3), np.float32))
        self._trace_serial = -1
        gl.check("sending the scene")

    def draw(
        self, figure: Figure, colours: SceneColours, view: Floats, light: Floats, scale: float
    ) -> None:
        """Draw one picture into the current framebuffer.

        Args:
            view: from the scene to the screen upside down, column by column, shape (16,).
            light: direction of the lamp in the scene's axes, unit vector, shape (3,).
            scale: device pixels in a pixel of the window.
        """
        gl = self._gl
        gl.glClearColor(*colours.rgba("background"))
        gl.glClear(c.COLOR_BUFFER_BIT | c.DEPTH_BUFFER_BIT)
        gl.glEnable(c.DEPTH_TEST)
        self._draw_lines(self._floor, len(self._build.ground.lines_m), colours, view, scale)
        gl.glEnable(c.CULL_FACE)
        gl.glFrontFace(c.CW)  # the picture is drawn upside down
        self._draw_bodies(figure, colours, view, light)
        gl.glDisable(c.CULL_FACE)
        if len(figure.trace_m):
            gl.glDisable(c.DEPTH_TEST)  # a path is to be seen where the arm covers it, too
            self._send_trace(figure)
            self._draw_lines(self._trace, len(figure.trace_m), colours, view, scale)
        gl.glUseProgram(0)
        gl.glBindBuffer(c.ARRAY_BUFFER, 0)
        gl.glBindBuffer(c.ELEMENT_ARRAY_BUFFER, 0)

    def _draw_lines(
        self, buffer: int, count: int, colours: SceneColours, view: Floats, scale: float
    ) -> None:
        gl = self._gl
        path = buffer == self._trace
        gl.glUseProgram(self._lines.number)
        gl.glUniformMatrix4fv(self._lines.place("u_view"), 1, False, address(view))
        gl.glUniform4f(self._lines.place("u_colour"), *colours.rgba("trace" if path else "grid"))
        gl.glLineWidth((2.0 if path else 1.0) * scale)
        gl.glBindBuffer(c.ARRAY_BUFFER, buffer)
        gl.glEnableVertexAttribArray(POSITION)
        gl.glVertexAttribPointer(POSITION, 3, c.FLOAT, False, 0, None)
        gl.glDrawArrays(c.LINE_STRIP if path else c.LINES, 0, count)
        gl.glDisableVertexAttribArray(POSITION)

    def _send_trace(self, figure: Figure) -> None:
        if figure.trace_serial == self._trace_serial:
            return
        points = np.ascontiguousarray(figure.trace_m, np.float32)
        self._gl.glBindBuffer(c.ARRAY_BUFFER, self._trace)
        self._gl.glBufferSubData(c.ARRAY_BUFFER, 0, points.nbytes, address(points))
        self._trace_serial = figure.trace_serial

    def _draw_bodies(
        self, figure: Figure, colours: SceneColours, view: Floats, light: Floats
    ) -> None:
        gl = self._gl
        bodies = self._bodies
        gl.glUseProgram(bodies.number)
        placed = np.ascontiguousarray(figure.transforms.transpose(0, 2, 1), np.float32)
        palette = np.array([colours.rgba(role) for role in figure.roles], np.float32)
        gl.glUniformMatrix4fv(bodies.place("u_view"), 1, False, address(view))
        gl.glUniformMatrix4fv(bodies.place("u_parts"), len(placed), False, address(placed))
        gl.glUniform4fv(bodies.place("u_palette"), len(palette), address(palette))
        gl.glUniform3fv(bodies.place("u_light"), 1, address(light))
        gl.glUniform1f(bodies.place("u_alpha"), 1.0)
        gl.glBindBuffer(c.ARRAY_BUFFER, self._corners)
        gl.glBindBuffer(c.ELEMENT_ARRAY_BUFFER, self._faces)
        for place, size, start in ((POSITION, 3, 0), (NORMAL, 3, 3), (TAGS, 2, 6)):
            offset = start * _FLOAT_BYTES
            gl.glEnableVertexAttribArray(place)
            gl.glVertexAttribPointer(place, size, c.FLOAT, False, _CORNER_BYTES, offset)
        solid, ghost = self._counts
        gl.glDrawElements(c.TRIANGLES, solid, c.UNSIGNED_INT, None)
        if ghost:
            self._draw_ghosts(solid, ghost)
        for place in (POSITION, NORMAL, TAGS):
            gl.glDisableVertexAttribArray(place)

    def _draw_ghosts(self, start: int, count: int) -> None:
        """Ghosts lie over what is behind them and hide nothing."""
        gl = self._gl
        gl.glUniform1f(self._bodies.place("u_alpha"), GHOST_ALPHA)
        gl.glEnable(c.BLEND)
        gl.glBlendFuncSeparate(c.SRC_ALPHA, c.ONE_MINUS_SRC_ALPHA, c.ONE, c.ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(False)
        offset = start * _FLOAT_BYTES  # a number of a corner has four bytes too
        gl.glDrawElements(c.TRIANGLES, count, c.UNSIGNED_INT, offset)
        gl.glDepthMask(True)
        gl.glDisable(c.BLEND)


def _buffer(gl: Calls, target: int, data: NDArray[np.float32] | NDArray[np.uint32]) -> int:
    buffer = np.zeros(1, np.uint32)
    gl.glGenBuffers(1, address(buffer))
    number = int(buffer[0])
    packed = np.ascontiguousarray(data)
    gl.glBindBuffer(target, number)
    gl.glBufferData(target, packed.nbytes, address(packed), c.STATIC_DRAW)
    gl.glBindBuffer(target, 0)
    return number
