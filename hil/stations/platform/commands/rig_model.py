"""Arguments of the verbs about a rig: the rig's model, poses in metres and degrees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.platform.proof.summaries import PoseSummary
from hil.terminal.console import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POSE_NAMES = "x,y,z,alpha_deg,beta_deg,gamma_deg"
POSE_KEYS = ("x_m", "y_m", "z_m", "alpha_deg", "beta_deg", "gamma_deg")
PoseOption = Annotated[
    str | None,
    typer.Option(
        "--pose", metavar=POSE_NAMES, help="Pose in m and degrees; the rig's neutral if left out."
    ),
]
PicturesOption = Annotated[
    Path | None, typer.Option("--pictures", metavar="DIR", help="Write pictures there.")
]


class RigModel:
    """Kinematics of a rig, from a file or a shipped name."""

    def __init__(self, name: str) -> None:
        from hil.config.file_search import find_file
        from hil.machines.rig.machine import envelope_of, geometry_of, load_rig

        self.path = find_file(name, folder="rigs", key="RIG")
        self.rig = load_rig(self.path)
        self.geometry = geometry_of(self.rig)
        self.envelope = envelope_of(self.rig, self.geometry)

    def coordinates(self, text: str | None) -> NDArray[np.float64]:
        """Coordinates of a ``--pose`` text, or the rig's neutral pose."""
        if text is None:
            return self.rig.neutral.coordinates()
        values = in_si(numbers(text, 6, "--pose", POSE_NAMES))
        if max(map(abs, values)) > 20.0:
            raise ConfigError("--pose", [f"{text}: further than 20 m; positions are in metres"])
        return values


def in_si(values: Iterable[float]) -> NDArray[np.float64]:
    """Coordinates in SI: three translations as they are, three angles from degrees."""
    import numpy as np

    result = np.array(list(values))
    result[3:] = np.radians(result[3:])
    return result


def summarize_pose(coordinates: NDArray[np.float64]) -> PoseSummary:
    """Form of a pose in JSON."""
    return PoseSummary(**pose_of(coordinates))


def pose_of(coordinates: NDArray[np.float64]) -> dict[str, float]:
    """Coordinates by their keys, in metres and degrees."""
    angles = [math.degrees(value) for value in coordinates[3:]]
    return dict(zip(POSE_KEYS, [*map(float, coordinates[:3]), *angles], strict=True))


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Refuse a folder of pictures that cannot be written."""
    try:
        yield
    except OSError as error:
        raise ConfigError(str(folder), [f"cannot be written: {error.strerror}"]) from None


def write_pictures(folder: Path, pictures: Mapping[str, bytes]) -> list[Path]:
    """Write PNGs into a folder, which is made if it is not there; return their paths.

    Raises:
        ConfigError: the folder cannot be written.
    """
    from pathlib import PurePath

    from hil.config.files import make_folder, write_whole

    with writing(folder):
        make_folder(folder, PurePath())
        for name, png in pictures.items():
            write_whole(folder / name, png)
    return [folder / name for name in pictures]
