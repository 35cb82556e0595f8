"""The drawn model and its one renderer, for the drawing process only.

Ropes and what is soft are drawn where the engine last had them; robots have neither.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.library import engine
from sim.world.engine.world_bodies import corners_of
from sim.world.pictures.camera_fit import camera_axes, fitted
from sim.world.pictures.lit_text import MARK, axis_length_m, lit_text
from sim.world.pictures.wire import PictureOrder, View, WireError

Array = NDArray[np.float64]

GLASS: Final = 0.35
"""Opacity of a body when axes within it are drawn."""
FOLLOWED_M: Final = 3.0
"""Height of what a camera sees around a body that it follows [m]."""
NEAR_M: Final = 0.1
"""Least distance of a camera from a body that it follows [m]."""


class Drawing:
    """Pictures of one order.

    Args:
        order: what is drawn.
        opengl: a key of `sim.world.pictures.__main__.PACKAGES`.

    Raises:
        WireError: if the engine does not take the model, or positions do not fit it.
        Exception: whatever there is instead of OpenGL.
    """

    def __init__(self, order: PictureOrder, opengl: str) -> None:
        self._engine: Any = engine(opengl)
        self._order = order
        plain = self._taken(order.text)
        data = self._engine.MjData(plain)
        if order.start:
            data.qpos[:] = _checked(np.array(order.start), plain.nq)
        self._engine.mj_kinematics(plain, data)
        points, floor = filled(self._engine, plain, data)
        self._model: Any = self._taken(lit_text(order, points, floor=floor))
        self._data: Any = self._engine.MjData(self._model)
        if order.frames:
            self._make_glass()
        aspect = order.width / order.height
        seen = np.concatenate([points, *self._axes(axis_length_m(points))])
        views = (fitted(view, seen, order.fovy_rad, aspect) for view in order.views)
        self._views = list(views)
        self._cameras = [self._camera(view) for view in self._views]
        self._check_followed()
        self._renderer: Any = self._engine.Renderer(self._model, order.height, order.width)
        self._options: Any = self._engine.MjvOption()
        self._options.sitegroup[:] = 0
        flags = self._engine.mjtRndFlag
        self._renderer.scene.flags[flags.mjRND_SHADOW] = order.quality == "fine"
        self._renderer.scene.flags[flags.mjRND_REFLECTION] = 0
        self._picture = np.zeros(order.shape, np.uint8)
        self.draw(data.qpos)  # the driver's first differs from all others in the last digit

    def draw(self, positions: Array) -> NDArray[np.uint8]:
        """Draw all views of a state, shape `PictureOrder.shape`; overwritten by the next.

        Raises:
            WireError: if they do not fit the model.
        """
        self._data.qpos[:] = _checked(positions, self._model.nq)
        for step in ("mj_kinematics", "mj_comPos", "mj_camlight"):
            getattr(self._engine, step)(self._model, self._data)
        for picture, camera, view in zip(self._picture, self._cameras, self._views, strict=True):
            self._turn(camera, view)
            self._renderer.update_scene(self._data, camera, self._options)
            self._renderer.render(out=picture)
        return self._picture

    def _check_followed(self) -> None:
        body = self._engine.mjtObj.mjOBJ_BODY
        for view in self._views:
            if view.follows and self._engine.mj_name2id(self._model, body, view.follows) < 0:
                raise WireError(f"follows {view.follows!r}: the model has no such body")

    def _turn(self, camera: Any, view: View) -> None:
        """Turn a camera that follows a body towards it, and choose its angle."""
        fovy_rad = self._order.fovy_rad
        if view.follows and view.target_m is not None and view.distance_m is not None:
            place = np.array(view.target_m) - view.distance_m * camera_axes(view)[0]
            target = self._data.body(view.follows).xpos
            x, y, z = (target - place).tolist()
            away_m = max(math.hypot(x, y, z), NEAR_M)
            camera.lookat[:], camera.distance = target, away_m
            camera.azimuth = math.degrees(math.atan2(y, x))
            camera.elevation = math.degrees(math.atan2(z, math.hypot(x, y)))
            fovy_rad = min(fovy_rad, 2.0 * math.atan(0.5 * FOLLOWED_M / away_m))
        self._model.vis.global_.fovy = math.degrees(fovy_rad)

    def _taken(self, text: str) -> Any:
        try:
            return self._engine.MjModel.from_xml_string(text, dict(self._order.files))
        except ValueError as error:
            raise WireError(f"the engine refuses the model: {error}") from None

    def _axes(self, length_m: float) -> list[Array]:
        """Ends of the drawn axes, where the model starts."""
        self._data.qpos[:] = self._order.start or self._data.qpos
        self._engine.mj_kinematics(self._model, self._data)
        found = []
        for name in self._order.frames:
            body = self._engine.mj_name2id(self._model, self._engine.mjtObj.mjOBJ_BODY, name)
            of = self._data.site(name) if body < 0 else self._data.body(name)
            matrix = of.xmat.reshape(3, 3)
            found.append((of.xpos[:, None] + length_m * matrix).T)
        return found

    def _make_glass(self) -> None:
        for geom in range(self._model.ngeom):
            if not self._model.geom(geom).name.startswith(MARK):
                self._model.geom_rgba[geom, 3] *= GLASS

    def _camera(self, view: Any) -> Any:
        camera = self._engine.MjvCamera()
        camera.lookat[:] = view.target_m
        camera.distance = view.distance_m
        camera.azimuth = math.degrees(view.azimuth_rad)
        camera.elevation = math.degrees(view.elevation_rad)
        return camera


def filled(library: Any, model: Any, data: Any) -> tuple[Array, bool]:
    """Corners of all bodies' boxes in the world, and whether there is no floor.

    Args:
        library: the engine.
        model: of the engine.
        data: the engine's state, its places computed.
    """
    planes = model.geom_type == library.mjtGeom.mjGEOM_PLANE
    return corners_of(library, model, data), not planes.any()


def _checked(positions: Array, wanted: int) -> Array:
    if positions.shape != (wanted,):
        raise WireError(f"{positions.size} positions: the model has {wanted}")
    if not np.isfinite(positions).all():
        raise WireError("positions that are not finite")
    return positions
