"""A recorded run as a second model of the robot's controller has it: judge of both grippers."""

from typing import NamedTuple

import controller_model
import numpy as np

from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView

PERIOD_S = 0.35
LOOKS = 10


class Driven(NamedTuple):
    """A run as its recording tells it, in the robot's base."""

    view: ArmView
    nodes: np.ndarray  # the start and the waypoints that were sent, (N, 3)
    places: np.ndarray  # of the simulated gripper, ten a period, (10 (N - 1) + 1, 3)

    @property
    def t(self) -> np.ndarray:
        return np.arange(0.0, PERIOD_S * (len(self.nodes) - 1) + 1e-9, 0.00875)

    @property
    def motion(self) -> np.ndarray:
        return controller_model.between(self.places, PERIOD_S / LOOKS, self.t)


def driven(run: ArmRecording) -> Driven:
    header = run.recording.scenario["machines"]
    there, here = np.array(header["X_WG0"]), np.array(header["X_RT0"])
    way = np.vstack([there[:3], run.column("space_way").reshape(-1, 3)]) - there[:3]
    places = way @ there[3:].reshape(3, 3) @ here[3:].reshape(3, 3).T + here[:3]
    sent = run.column("sent_location")[:, :3] * 1e-5
    return Driven(ArmView.of(run), np.vstack([here[:3], sent]), places)
