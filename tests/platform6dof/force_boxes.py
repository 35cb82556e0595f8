"""Random machines and boxes with limits of forces that some poses pass, by potential energy.

The judge: no force, no direction of a leg and no Jacobian is written down. At rest the drives' work
along any small shift is what the weights gain, so forces follow from differences of lengths and of
the potential energy of all bodies, tubes and rods.
"""

from dataclasses import dataclass

import numpy as np
import pose_judge
from tight_boxes import limited, poses_of, random_box, random_rig

from platform6dof.dynamics.machine import LegBodies, Machine, PlatformBody
from platform6dof.envelope import Envelope
from platform6dof.workspace import PoseBox
from platform6dof.workspace.holding_limits import HoldingLimits

STEP = 1e-5


def heights(machine, legs, q):
    """Potential energy (N,) and lengths (N, 6) of poses."""
    g = machine.geometry
    base, top = np.array(g.base_joints_m), np.array(g.platform_joints_m)
    fall = np.array(machine.gravity_m_s2)
    m, _, along = pose_judge.legs_of(base, top, q)
    lengths = np.linalg.norm(along, axis=2)
    u = along / lengths[:, :, None]
    energy = np.zeros(len(q))
    for body in machine.bodies:
        energy -= body.mass_kg * (q[:, :3] + m @ body.centre_m) @ fall
    tube = base + legs.tube_centre_m * u
    rod = base + (lengths - legs.rod_centre_m)[:, :, None] * u
    energy -= ((legs.tube_kg * tube + legs.rod_kg * rod) @ fall).sum(axis=1)
    return energy, lengths


def forces_by_energy(machine, legs, q):
    """Forces of the drives at rest, (N, 6)."""
    energy, lengths = np.empty((6, len(q))), np.empty((len(q), 6, 6))
    for k in range(6):
        side = np.zeros(6)
        side[k] = STEP
        (one, longer), (two, shorter) = (
            heights(machine, legs, q + side),
            heights(machine, legs, q - side),
        )
        energy[k] = (one - two) / (2 * STEP)
        lengths[:, k] = (longer - shorter) / (2 * STEP)
    return np.linalg.solve(lengths, energy.T[:, :, None])[:, :, 0]


def random_machine(generator, geometry, number):
    """Bodies of a platform, some below it; legs without mass, with heavy tubes, with heavy rods."""
    bodies = tuple(
        PlatformBody(f"body {k}", generator.uniform(20, 300), generator.uniform(-0.5, 0.5, 3),
                     np.zeros((3, 3)))
        for k in range(generator.integers(1, 4))
    )  # fmt: skip
    tube, rod = ((0.0, 0.0), (80.0, 5.0), (5.0, 80.0))[number % 3]
    legs = LegBodies(
        tube_kg=tube, tube_centre_m=generator.uniform(0.1, 0.6), rod_kg=rod,
        rod_centre_m=generator.uniform(0.1, 0.6), rotor_kg=30.0,
    )  # fmt: skip
    gravity = np.array([0.0, 0.0, -9.81])
    if number % 4 == 2:
        gravity = generator.normal(size=3) * 5.0
    return Machine(geometry, bodies, legs, gravity), legs


@dataclass
class ForceCase:
    """A box with a limit of one leg's force that a pose of it passes, and one that none does."""

    geometry: object
    envelope: Envelope
    box: PoseBox
    tight: HoldingLimits
    wide: HoldingLimits
    most_n: float


def force_cases(seed, rigs, size, legs_each=6):
    """Cases of random machines, `size` poses judged of each, the most loaded legs first."""
    generator = np.random.default_rng(seed)
    for number in range(rigs):
        geometry = random_rig(generator, 3 * number)  # none has a lead, which the judge lacks
        geometry = type(geometry)(
            geometry.base_joints_m, geometry.platform_joints_m, np.full(6, 0.5), np.full(6, 1.0)
        )
        box = random_box(generator, geometry, number)
        if number % 8 == 5:  # one coordinate has a width, and the legs hold little
            turned = np.array([0.0, 0.0, 0.0, generator.uniform(0.9, 1.3), 0.0, 0.0])
            box = PoseBox(box.lower + turned, box.upper + turned)
        machine, legs = random_machine(generator, geometry, number)
        q = poses_of(generator, box, size)
        most = np.abs(forces_by_energy(machine, legs, q)).max(axis=0)
        for leg in np.argsort(-most)[:legs_each]:
            tight, wide = np.full(6, 1e9), np.full(6, 1e9)
            tight[leg], wide[leg] = most[leg] * (1.0 - 1e-6), 1.3 * most[leg] + 5.0
            yield ForceCase(
                geometry, limited(geometry), box, HoldingLimits(machine, tight),
                HoldingLimits(machine, wide), float(most[leg]),
            )  # fmt: skip
