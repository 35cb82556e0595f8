"""The window: the engine's own viewer for states that another process computes.

The viewer turns a mouse that pulls at a body into a force, which is only reported here. What is
shown of contacts is computed again from the whole state, so that arrows are those of the step that
the other process takes next.
"""

import math
from operator import attrgetter
from typing import Any, Final

import numpy as np

from sim.world.engine.library import engine
from sim.world.engine.world import CHANGED_WHILE_RUNNING
from sim.world.pictures.camera_fit import fitted
from sim.world.pictures.drawing import filled
from sim.world.pictures.lit_text import lit_text
from sim.world.pictures.wire import PictureOrder, View, WireError
from sim.world.viewer.wire import LET_GO, MousePush, ViewedModel, ViewerState

HELP: Final = (
    "double click, Ctrl + right drag\nSpace\nright arrow\n+  -\nTab",
    "choose a body, pull at it\npause, go on\none step\nfaster, slower\nmore",
)
"""Keys and their effects."""
ELEVATION_RAD: Final = math.radians(-28.0)
"""Initial elevation of the camera's direction, above the horizon."""
ARROW_S2: Final = 0.01
"""Length of an arrow, of the model's size, by the acceleration [m/s2] that its force would give the
mean mass: so that the weight of a mean body is 10 % long."""
ARROW_WIDTH: Final = 0.006
"""Width of an arrow, by the model's size."""
ARROW_COLOUR: Final = (0.85, 0.08, 0.42)
FOVY_RAD: Final = math.radians(45.0)
"""Angle of view between the upper and the lower edge."""


class NoWindowError(RuntimeError):
    """Missing screen, or no OpenGL on it; the text says so."""


class LiveWindow:
    """Window of one model at a time.

    Args:
        pressed: called with the number in GLFW of each key, from the window's own thread.

    Raises:
        NoWindowError: if it cannot be opened.
        WireError: if the engine does not take the model.
    """

    def __init__(self, model: ViewedModel, pressed: Any) -> None:
        self._engine: Any = engine()
        viewer = _viewer()
        self._made(model)
        self._handle: Any = viewer.launch_passive(
            self._model, self._data, key_callback=pressed, show_left_ui=False, show_right_ui=False
        )
        self._push = LET_GO
        self._settle()

    @property
    def is_open(self) -> bool:
        """Whether nobody has closed the window."""
        return bool(self._handle.is_running())

    def change(self, model: ViewedModel) -> None:
        """Show another model, such as the next one of an edit; the camera stays."""
        self._made(model)
        if self.is_open:
            self._handle._get_sim().load(self._model, self._data, "")  # noqa: SLF001  # no other way
            self._push = LET_GO
            self._options()

    def show(self, shown: ViewerState) -> None:
        """Take a state over; `turn` shows it.

        Raises:
            WireError: if it is of another model.
        """
        state = np.frombuffer(shown.state)
        fields = [attrgetter(name)(self._model) for name in CHANGED_WHILE_RUNNING]
        sizes = [self._states, *(field.size for field in fields)]
        if state.size != sum(sizes):
            raise WireError(f"state of {state.size} numbers: the model has {sum(sizes)}")
        whole, *changed = np.split(state, np.cumsum(sizes)[:-1])
        for field, values in zip(fields, changed, strict=True):
            field[:] = values.reshape(field.shape)
        self._engine.mj_setState(
            self._model, self._data, whole, self._engine.mjtState.mjSTATE_INTEGRATION
        )
        if self._push.body:
            self._data.xfrc_applied[self._push.body] = self._push.wrench
        self._engine.mj_forward(self._model, self._data)
        self._send(shown)

    def turn(self) -> MousePush:
        """Draw the last state; return the present pull of the mouse."""
        self._handle.sync()
        applied = self._data.xfrc_applied
        pulled = np.flatnonzero(applied.any(axis=1))
        self._push = LET_GO
        if self._handle.perturb.active and pulled.size and np.isfinite(applied).all():
            number = int(pulled[0])
            self._push = MousePush(number, tuple(applied[number].tolist()))
        return self._push

    def close(self) -> None:
        """Close the window."""
        self._handle.close()

    def _made(self, model: ViewedModel) -> None:
        """Compile the engine's model, lit, and the camera from which all of it is seen."""
        try:
            plain = self._engine.MjModel.from_xml_string(model.text, dict(model.files))
            data = self._engine.MjData(plain)
            data.qpos[:] = model.start
            self._engine.mj_kinematics(plain, data)
            points, floor = filled(self._engine, plain, data)
            order = PictureOrder(text=model.text, start=model.start, fovy_rad=FOVY_RAD)
            lit = lit_text(order, points, floor=floor)
            spec = self._engine.MjSpec.from_string(lit, assets=dict(model.files))
            spec.modelname = model.title
            self._model: Any = spec.compile()
            self._make_arrows()
        except ValueError as error:
            raise WireError(f"the engine refuses the model: {error}") from None
        self._data: Any = self._engine.MjData(self._model)
        self._data.qpos[:] = model.start
        self._states = self._engine.mj_stateSize(
            self._model, self._engine.mjtState.mjSTATE_INTEGRATION
        )
        self._view = fitted(View(elevation_rad=ELEVATION_RAD), points, FOVY_RAD, 16.0 / 9.0)

    def _make_arrows(self) -> None:
        """Size the arrows of forces to be visible beside bodies of whatever size and mass."""
        extent, visual = self._model.stat.extent, self._model.vis
        visual.map.force = ARROW_S2 * extent
        visual.scale.forcewidth = ARROW_WIDTH * extent / self._model.stat.meansize
        visual.rgba.contactforce[:] = (*ARROW_COLOUR, 1.0)

    def _settle(self) -> None:
        """Set the initial camera and the visible elements."""
        view, camera = self._view, self._handle.cam
        with self._handle.lock():
            camera.lookat[:] = view.target_m
            camera.distance = view.distance_m
            camera.azimuth = math.degrees(view.azimuth_rad)
            camera.elevation = math.degrees(view.elevation_rad)
        self._options()

    def _options(self) -> None:
        flags = self._engine.mjtVisFlag
        with self._handle.lock():
            for flag in (flags.mjVIS_CONTACTFORCE, flags.mjVIS_PERTFORCE):
                self._handle.opt.flags[flag] = 1
            self._handle.opt.sitegroup[:] = 0

    def _send(self, shown: ViewerState) -> None:
        """Show time, speed, contacts, and the keys."""
        force_n, wrench = 0.0, np.zeros(6)
        for index in range(self._data.ncon):
            self._engine.mj_contactForce(self._model, self._data, index, wrench)
            force_n = max(force_n, float(np.linalg.norm(wrench[:3])))
        names = ["time", "speed", "contacts", "greatest force"]
        values = [f"{self._data.time:.3f} s", f"{shown.speed:g} x", f"{self._data.ncon}",
                  f"{force_n:.4g} N"]  # fmt: skip
        if shown.paused:
            names.append("PAUSED")
            values.append("")
        grid = self._engine.mjtGridPos
        texts = [(None, grid.mjGRID_TOPLEFT, "\n".join(names), "\n".join(values)),
                 (None, grid.mjGRID_BOTTOMLEFT, *HELP)]  # fmt: skip
        if shown.words:
            texts.append((None, grid.mjGRID_TOPRIGHT, shown.words, ""))
        self._handle.set_texts(texts)


def _viewer() -> Any:
    """Load the engine's viewer, once it is sure that there can be a window.

    Raises:
        NoWindowError: if there cannot be; the viewer itself would wait for ever.
    """
    try:
        from mujoco import viewer
    except (ImportError, RuntimeError) as error:
        raise NoWindowError(str(error)) from None
    glfw: Any = viewer.glfw
    if not glfw.init():
        raise NoWindowError("there is no screen")
    glfw.window_hint(glfw.VISIBLE, False)
    window = glfw.create_window(16, 16, "", None, None)
    glfw.default_window_hints()
    if not window:
        raise NoWindowError("the screen has no OpenGL")
    glfw.destroy_window(window)
    return viewer
