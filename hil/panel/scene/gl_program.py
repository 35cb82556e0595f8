"""The programs of the graphics card: one for bodies, one for lines.

All bodies of a scene are drawn in one call. A corner knows the number of its part and of its
colour; placements and colours are tables that are sent anew for each picture. So a picture costs
two small uploads, however many bodies there are, which matters most where there is no graphics
card and the processor draws.
"""

import ctypes
from typing import Final

from hil.panel.scene import gl_calls as c
from hil.panel.scene.gl_calls import Calls, GlError, text_of, whole

MODERN: Final = (3, 1)
"""Version of OpenGL from which the newer words of the shading language are needed."""

_BODY_VERTEX: Final = """
uniform mat4 u_view;
uniform mat4 u_parts[PARTS];
uniform vec4 u_palette[SLOTS];
uniform vec3 u_light;
uniform float u_alpha;
IN vec3 a_position;
IN vec3 a_normal;
IN vec2 a_tags;
OUT vec4 v_colour;
void main() {
    mat4 part = u_parts[int(a_tags.x + 0.5)];
    vec3 normal = normalize(mat3(part) * a_normal + vec3(0.0, 0.0, 1e-9));
    // Light from the sky, more from above than from below, and a lamp that goes with the eye.
    float sky = 0.46 + 0.16 * normal.z;
    float lamp = 0.50 * max(dot(normal, u_light), 0.0);
    vec4 colour = u_palette[int(a_tags.y + 0.5)];
    v_colour = vec4(min(colour.rgb * (sky + lamp), vec3(1.0)), u_alpha);
    gl_Position = u_view * part * vec4(a_position, 1.0);
}
"""

_LINE_VERTEX: Final = """
uniform mat4 u_view;
uniform vec4 u_colour;
IN vec3 a_position;
OUT vec4 v_colour;
void main() {
    v_colour = u_colour;
    gl_Position = u_view * vec4(a_position, 1.0);
}
"""

_FRAGMENT: Final = """
IN vec4 v_colour;
RESULT
void main() {
    COLOUR = v_colour;
}
"""

POSITION, NORMAL, TAGS = 0, 1, 2
"""Numbers of a corner's attributes."""


class Program:
    """A linked program and the places of its uniforms; needs a current context.

    Args:
        kind: "body" or "line".

    Raises:
        GlError: with the driver's log, if it does not compile or link.
    """

    def __init__(
        self, gl: Calls, kind: str, version: tuple[int, int], parts: int = 1, slots: int = 1
    ) -> None:
        self._gl = gl
        vertex = _BODY_VERTEX if kind == "body" else _LINE_VERTEX
        vertex = vertex.replace("PARTS", str(parts)).replace("SLOTS", str(slots))
        modern = version >= MODERN
        compiled = [
            _compiled(gl, _dialect(source, stage, modern), stage, kind)
            for source, stage in ((vertex, c.VERTEX_SHADER), (_FRAGMENT, c.FRAGMENT_SHADER))
        ]
        self.number: int = gl.glCreateProgram()
        for shader in compiled:
            gl.glAttachShader(self.number, shader)
        for place, name in ((POSITION, b"a_position"), (NORMAL, b"a_normal"), (TAGS, b"a_tags")):
            gl.glBindAttribLocation(self.number, place, name)
        gl.glLinkProgram(self.number)
        if not whole(gl.glGetProgramiv, self.number, c.LINK_STATUS):
            length = whole(gl.glGetProgramiv, self.number, c.INFO_LOG_LENGTH)
            log = text_of(gl.glGetProgramInfoLog, self.number, length)
            raise GlError(f"the {kind} program does not link: {log}")
        for shader in compiled:
            gl.glDeleteShader(shader)
        self._places: dict[str, int] = {}

    def place(self, name: str) -> int:
        """Location of a uniform."""
        if name not in self._places:
            self._places[name] = int(self._gl.glGetUniformLocation(self.number, name.encode()))
        return self._places[name]


def _compiled(gl: Calls, source: str, stage: int, kind: str) -> int:
    """Number of a shader.

    Raises:
        GlError: with the driver's log.
    """
    shader = int(gl.glCreateShader(stage))
    lines = (ctypes.c_char_p * 1)(source.encode())
    gl.glShaderSource(shader, 1, lines, None)
    gl.glCompileShader(shader)
    if not whole(gl.glGetShaderiv, shader, c.COMPILE_STATUS):
        length = whole(gl.glGetShaderiv, shader, c.INFO_LOG_LENGTH)
        log = text_of(gl.glGetShaderInfoLog, shader, length)
        raise GlError(f"the {kind} program does not compile: {log}")
    return shader


def _dialect(source: str, stage: int, modern: bool) -> str:
    """The source in the words of the older or of the newer shading language."""
    vertex = stage == c.VERTEX_SHADER
    if modern:
        words = {"IN ": "in ", "OUT ": "out ", "RESULT": "out vec4 o_colour;", "COLOUR": "o_colour"}
        head = "#version 140\n"
    else:
        taken = "attribute " if vertex else "varying "
        words = {"IN ": taken, "OUT ": "varying ", "RESULT": "", "COLOUR": "gl_FragColor"}
        head = "#version 120\n"
    for word, replacement in words.items():
        source = source.replace(word, replacement)
    return head + source
