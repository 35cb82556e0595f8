"""Controls of a platform without a desk."""

import itertools

from hil.panel.lead.models.controls import ControlsModel
from hil.panel.lead.models.live_motion import LiveMotion
from hil.stations.platform.station import STATION


def controls_of(plan, in_force):
    """The model of a plan's controls, with numbers from 1 on."""
    made = STATION.lead.controls(plan.model_dump(mode="json"))
    motion = LiveMotion(STATION.scenarios, made.motion, in_force)
    return ControlsModel(made.poses, motion, itertools.count(1).__next__, in_force)
