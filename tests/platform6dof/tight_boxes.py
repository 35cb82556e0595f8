"""Random rigs and boxes with limits that some of their poses violate, by the judge's numbers."""

import math
from dataclasses import dataclass

import numpy as np
import pose_judge
from hexapods import DEG

from platform6dof.envelope import Envelope
from platform6dof.geometry import GeometryError, HexapodGeometry
from platform6dof.limits import EnvelopeLimits
from platform6dof.workspace import PoseBox

LOOSE = {
    "joint_cone_base_rad": math.pi,
    "joint_cone_platform_rad": math.pi,
    "leg_clearance_m": 0.0,
    "singular_value_min": 0.0,
    "speed_max_m_s": np.full(6, 1e6),
    "acceleration_max_m_s2": np.full(6, 1e6),
    "soft_margin_m": 0.0,
}


def limited(geometry, low=0.0, high=1e6, **limits):
    """An envelope with one limit; lengths from `low` to `high`, whatever the stroke is."""
    envelope = Envelope(geometry, EnvelopeLimits(**(LOOSE | limits)))
    ends = [np.array(one) for one in envelope.bounds]
    ends[0][:6], ends[1][:6] = low, high
    if not limits.get("singular_value_min"):
        ends[0][45] = -np.inf
    for name, end in zip(("_low", "_high"), ends, strict=True):
        object.__setattr__(envelope, name, end)
    return envelope


def random_rig(generator, number):
    """A geometry: circles, circles disturbed, or joints anywhere; some with a screw lead."""
    lead = 0.03 * generator.random() if number % 5 == 4 else 0.0
    while True:
        base_half, top_half = generator.uniform(2, 30), generator.uniform(30, 58)
        circles = HexapodGeometry.from_circles(
            1.0, base_half * DEG, generator.uniform(0.4, 0.9), top_half * DEG, 0.5, 1.0
        )
        spread = (0.0, 0.05, 0.3)[number % 3]
        base = circles.base_joints_m + spread * generator.normal(size=(6, 3))
        top = circles.platform_joints_m + spread * generator.normal(size=(6, 3))
        try:
            return HexapodGeometry(base, top, np.full(6, 0.5), np.full(6, 1.0), screw_lead_m=lead)
        except GeometryError:
            continue


def random_box(generator, geometry, number):
    """A box of one to six coordinates with a width; every fourth reaches over singular poses."""
    centre = geometry.neutral_pose.coordinates() + generator.uniform(-0.1, 0.1, 6)
    half = 10.0 ** generator.uniform(-2.0, -0.7, 6)
    if number % 4 == 3:
        half[3:] = generator.uniform(0.5, 1.8, 3)
    elif number % 4 == 1:  # one coordinate alone: there the bounds are sharpest
        half[generator.permutation(6)[:5]] = 0.0
    else:
        half[generator.permutation(6)[: generator.integers(0, 6)]] = 0.0
    return PoseBox(centre - half, centre + half)


def poses_of(generator, box, size):
    """Poses of a box: a half anywhere, a quarter in corners, a quarter on faces."""
    unit = generator.random((size, 6))
    unit[: size // 4] = np.round(unit[: size // 4])
    some = unit[size // 4 : size // 2]
    unit[size // 4 : size // 2] = np.where(generator.random(some.shape) < 0.5, np.round(some), some)
    return box.lower + (box.upper - box.lower) * unit


def reached(geometry, q, rates):
    """What the poses reach, by the judge: limits just inside of it, and limits well beyond."""
    base, top = np.array(geometry.base_joints_m), np.array(geometry.platform_joints_m)
    m, arms, legs = pose_judge.legs_of(base, top, q)
    axes, top_axes = np.array(geometry.neutral_axes)
    lengths = np.linalg.norm(legs, axis=2)
    if not geometry.screw_lead_m:  # it changes lengths, and rows of the Jacobian with them
        yield from lengths_and_hold(geometry, lengths, arms, legs, q, rates)
    yield "joint_cone_base_rad", pose_judge.angles(legs, axes).max(), -1.0, {}
    turned = np.einsum("nij,kj->nki", m, top_axes)
    yield "joint_cone_platform_rad", pose_judge.angles(legs, turned).max(), -1.0, {}
    apart = pose_judge.clearances(base, legs).min(axis=0)
    joints = np.array([min(np.linalg.norm(base[i] - base[j]), np.linalg.norm(top[i] - top[j]))
                       for i, j in pose_judge.PAIRS])  # fmt: skip
    if (counted := joints > 1.01 * apart + 1e-3).any():
        yield "leg_clearance_m", apart[counted].min(), 1.0, {}


def lengths_and_hold(geometry, lengths, arms, legs, q, rates):
    """What depends on a screw's lead: lengths leg by leg, hold, speeds."""
    base, top = np.array(geometry.base_joints_m), np.array(geometry.platform_joints_m)
    for leg in range(6):
        yield ("low", leg), lengths[:, leg].min(), 1.0, {}
        yield ("high", leg), lengths[:, leg].max(), -1.0, {}
    scaled = pose_judge.jacobians(arms, legs, geometry.length_scale_m)
    yield "singular_value_min", np.linalg.svd(scaled, compute_uv=False)[:, 5].min(), 1.0, {}
    speeds = pose_judge.speeds(base, top, q, rates).max(axis=0)
    leg = int(np.argmax(q[0] > q[1]))
    yield ("speed_max_m_s", leg), speeds[leg], -1.0, {"rates": rates}


@dataclass
class Case:
    """A box, a limit that some pose of it violates, and one that none does by far."""

    name: str
    geometry: HexapodGeometry
    box: PoseBox
    tight: Envelope
    wide: Envelope | None
    more: dict


def cases(seed, rigs, size):
    """Cases of random rigs, `size` poses judged of each."""
    generator = np.random.default_rng(seed)
    for number in range(rigs):
        geometry = random_rig(generator, number)
        box, rates = random_box(generator, geometry, number), generator.uniform(0.0, 1.0, 6)
        q = poses_of(generator, box, size)
        for name, value, inward, more in reached(geometry, q, rates):
            tight = value + inward * 1e-6 * max(abs(value), 1e-3)
            wide = max(value - inward * 0.3 * max(abs(value), 0.05), 0.0)
            if str(name).startswith("joint_cone") and not 0.0 < tight <= math.pi:
                continue
            wide = min(wide, math.pi) if str(name).startswith("joint_cone") else wide
            tight_, wide_ = (limit_of(geometry, name, one) for one in (tight, wide))
            yield Case(str(name), geometry, box, tight_, wide_, more)


def limit_of(geometry, name, limit):
    """An envelope with one limit, of one leg if the name says which."""
    if isinstance(name, str):
        return limited(geometry, **{name: limit})
    name, leg = name
    given = np.full(6, 0.0 if name == "low" else 1e6)
    given[leg] = limit
    return limited(geometry, **{name: given})
