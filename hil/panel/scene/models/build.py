"""The scenes that show a run, built from its header."""

from hil.config.errors import ConfigError
from hil.recording.header import RunHeader
from hil.run.registry import missing, station_or_none
from hil.scene.figure import Scene


class SceneError(Exception):
    """A run that cannot be drawn; the message says why."""


def scenes_of(header: RunHeader) -> tuple[Scene, ...]:
    """Scenes of a run's machines, as its station draws them.

    Raises:
        SceneError: if its station is not installed or has no scene, or the header does not
            describe its machines.
    """
    station = station_or_none(header.signals.station)
    if station is None or station.scene is None:
        raise SceneError(f"nothing can be drawn: {missing(header)}")
    try:
        return station.scene(header)
    except KeyError as error:
        raise SceneError(f"the run's header has no {error}; nothing can be drawn") from error
    except ConfigError as error:
        problem = error.problems[0] if error.problems else str(error)
        raise SceneError(f"the run's header: {problem}; nothing can be drawn") from error
    except ValueError as error:
        raise SceneError(f"the run's header: {error}; nothing can be drawn") from error
