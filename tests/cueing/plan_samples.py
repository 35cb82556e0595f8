"""Machines, references and an independent judge for tests of plans."""

from pathlib import Path

import numpy as np

from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from hil_common.arrays.pose import Pose
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.plan import Plan
from platform6dof.cueing.planner import Planner, PlanRequest
from platform6dof.inverse import leg_setpoints_batch

RIGS = Path(__file__).resolve().parents[2] / "configs" / "rigs"
HEAD_M = (0.12, -0.2, 0.75)
SMALL = MpcParameters(blocks=(1, 2, 3), step_s=0.1, period_s=0.1)


def machine(name="paper"):
    rig = load_rig(RIGS / f"{name}.toml")
    geometry = geometry_of(rig)
    return geometry, envelope_of(rig, geometry), rig.neutral.pose()


def planner(name="paper", parameters=None, head_m=HEAD_M):
    _, envelope, neutral = machine(name)
    return Planner(parameters or MpcParameters(), envelope, neutral, head_m)


def request(maker, wanted, playing=None, start_s=0.0, organs=None, serial=1):
    steps = maker.horizon.steps + 1
    return PlanRequest(
        serial,
        start_s,
        playing or Plan.at_rest(),
        np.zeros((6, 3)) if organs is None else organs,
        np.broadcast_to(np.asarray(wanted, float), (steps, 6)).copy(),
    )


def head_to_platform(rows, neutral, head_m):
    """Coordinates of the platform by poses and central differences of them, (N, 3, 6)."""
    h = 1e-4

    def place(q):
        turned = Pose.from_coordinates([0, 0, 0, *(neutral.coordinates()[3:] + q[3:])])
        at = neutral.position_m + neutral.rotation @ head_m + q[:3]
        return np.concatenate([at - turned.rotation @ head_m, turned.coordinates()[3:]])

    out = np.empty_like(rows)
    for k, (q, v, a) in enumerate(rows):
        before, now, after = (place(q + t * v + t * t / 2 * a) for t in (-h, 0.0, h))
        out[k] = now, (after - before) / (2 * h), (after - 2 * now + before) / h**2
    return out


def legs_of(geometry, rows):
    """Lengths and speeds of the legs by the public inverse, (N, 6) each."""
    return leg_setpoints_batch(geometry, rows[:, 0], rows[:, 1])
