"""Preview of a scenario's motion as a picture, before anything was proved or has run."""

from pathlib import Path

import numpy as np

from hil.machines.rig.machine import geometry_of
from hil.recording.header import RunHeader
from hil.run.preview import LONGEST_S, STEP_S, Preview
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.signals import MODE_CODE, SIGNALS
from platform6dof.inverse import leg_setpoints_batch
from safety.modes import Mode


def preview(file: Path) -> Preview:
    """First minute of a scenario's motion.

    Raises:
        ConfigError: if the file or its motion cannot be read.
    """
    plan = load_plan(file)
    motion = motion_of(plan)
    shown_s = min(motion.duration_s, LONGEST_S)
    times_s = np.arange(0.0, shown_s + 0.5 * STEP_S, STEP_S)
    poses = np.array([motion.sample(t_s).X_BP.coordinates() for t_s in times_s.tolist()])
    lengths_m, _ = leg_setpoints_batch(geometry_of(plan.rig), poses, np.zeros_like(poses))
    rows, at = np.full((len(times_s), SIGNALS.values), np.nan), SIGNALS.places
    rows[:, at["t_s"]] = times_s[:, None]
    rows[:, at["mode"]] = MODE_CODE[Mode.ENGAGED]
    rows[:, at["wanted_pose"]] = rows[:, at["reached_pose"]] = poses
    rows[:, at["measured_length_m"]] = lengths_m
    first = "" if shown_s == motion.duration_s else f"first {shown_s:.0f} s of "
    words = f"{first}{plan.scenario.name}, {motion.duration_s:.1f} s on {plan.rig.name}"
    header = RunHeader(SIGNALS, scenario=plan.model_dump(mode="json"))
    return Preview(header, rows, words)
