"""Pictures of a run, drawn from its recording: a film of it, and some instants.

A process of its own draws them when the run is over, so that no picture takes its time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.recording.row_arrays import let_go
from hil.stations.world.view.pictures import PictureProcess, PicturesError
from sim.world.engine.library import EngineMissingError
from sim.world.engine.world import ModelRefusedError
from sim.world.pictures.camera_fit import fitted
from sim.world.pictures.video import FilmsMissingError, write_video
from sim.world.pictures.wire import PictureOrder, View, WireError
from sim.world.robots.model import BASE

if TYPE_CHECKING:
    from hil.stations.world.view.recorded_world import RecordedWorld
    from sim.world.scenes.model import SceneCamera

Bytes = NDArray[np.uint8]

RATE_HZ: Final = 25.0
"""Frame rate of a film [Hz]."""
FILM: Final = (960, 540)
"""Width and height of a film [px]."""
STILL: Final = (480, 360)
"""Width and height of an instant [px]."""
LOOKED_AT: Final = 12
"""Number of states that place the camera, so that all of the motion is in the picture."""
TRAVELLED_M: Final = 1.0
"""Way of a robot's base from which a film follows it [m]."""
FOVY_RAD: Final = math.radians(30.0)
"""Angle between upper and lower edge of a picture that is placed so [rad]."""


@dataclass(frozen=True, slots=True)
class WorldInstant:
    """World at one time, as a picture."""

    t_s: float
    """Time of the run [s]."""
    picture: Bytes
    """RGB, shape (height, width, 3)."""


def film(
    recorded: RecordedWorld,
    path: Path,
    report: Callable[[float], object] = lambda _: None,
    rate_hz: float = RATE_HZ,
) -> int:
    """Write a film of a run, in its own time.

    Args:
        path: path of the MP4 file.
        report: takes the share that is done, after each picture.

    Returns:
        Number of pictures.

    Raises:
        PicturesError: if there is no engine, no OpenGL, no library of films, or the file cannot be
            written.
    """
    rows = recorded.rows(rate_hz)
    try:
        pictures = (picture for _, picture in _drawn(recorded, rows, FILM, follows=True))
        return write_video(path, pictures, rate_hz, lambda count: report(count / len(rows)))
    except (FilmsMissingError, OSError) as error:
        raise PicturesError(f"{path}: {error}") from None


def instants(recorded: RecordedWorld, count: int) -> list[WorldInstant]:
    """Pictures at some times of a run, the first and the last among them.

    Raises:
        PicturesError: if there is no engine or no OpenGL.
    """
    return instants_at(recorded, recorded.spread(count))


def instants_at(
    recorded: RecordedWorld, rows: NDArray[np.intp], view: View | None = None
) -> list[WorldInstant]:
    """Pictures of some rows of a run, which rise; raises as `instants` does.

    Args:
        view: view of all of them; None for that of the scene's camera.
    """
    times_s = recorded.times_s[rows].tolist()
    drawn = _drawn(recorded, rows, STILL, view)
    return [WorldInstant(t_s, one.copy()) for t_s, (_, one) in zip(times_s, drawn, strict=True)]


def _drawn(
    recorded: RecordedWorld, rows: NDArray[np.intp], size: tuple[int, int],
    view: View | None = None, *, follows: bool = False,
) -> Iterator[tuple[int, Bytes]]:  # fmt: skip
    try:
        view, fovy_rad = view_of(recorded, size) if view is None else (view, FOVY_RAD)
        if follows and (base := travelling_base(recorded)):
            view = replace(view, follows=base)
        order = PictureOrder(
            text=recorded.text.text, start=tuple(recorded.positions[0].tolist()), width=size[0],
            height=size[1], views=(view,), fovy_rad=fovy_rad, quality="fine",
            files=tuple(recorded.text.files.items()),
        )  # fmt: skip
    except (EngineMissingError, ModelRefusedError, WireError) as error:
        raise PicturesError(str(error)) from None
    with PictureProcess(order) as process:
        states = _states(recorded, rows)
        for row, pictures in zip(rows.tolist(), process.film(states), strict=True):
            yield row, pictures[0]


def _states(recorded: RecordedWorld, rows: NDArray[np.intp]) -> Iterator[NDArray[np.float64]]:
    for row in rows.tolist():
        yield recorded.positions[row].copy()
        let_go(recorded.positions)


def travelling_base(recorded: RecordedWorld) -> str:
    """Name of the body of the first robot's base, if it goes far; empty if it does not."""
    world, places = recorded.world(), list[NDArray[np.float64]]()
    for row in recorded.spread(LOOKED_AT).tolist():
        world.move_to(recorded.positions[row])
        world.settle()
        places.append(world.robots[0].pose(BASE)[:3, 3].copy())
    if np.ptp(np.array(places), axis=0).max() < TRAVELLED_M:
        return ""
    return f"{world.robots[0].placed.prefix}l{BASE}"


def view_of(recorded: RecordedWorld, size: tuple[int, int]) -> tuple[View, float]:
    """View of a run, and the angle between upper and lower edge.

    By the scene's first camera that stands in the world; without one so that all is seen that
    moves, all the time.
    """
    cameras = () if recorded.scene is None else recorded.scene.cameras
    for camera in cameras:
        if not camera.on:
            return _by(camera), camera.fov_rad
    world = recorded.world()
    corners: list[NDArray[np.float64]] = []
    for row in recorded.spread(LOOKED_AT).tolist():
        world.move_to(recorded.positions[row])
        world.settle()
        corners.append(world.corners_m())
    return fitted(View(), np.concatenate(corners), FOVY_RAD, size[0] / size[1]), FOVY_RAD


def _by(camera: SceneCamera) -> View:
    x, y, z = np.subtract(camera.looks_at_m, camera.position_m).tolist()
    return View(
        math.atan2(y, x), math.atan2(z, math.hypot(x, y)), camera.looks_at_m,
        math.sqrt(x * x + y * y + z * z),
    )  # fmt: skip
