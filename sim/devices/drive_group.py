"""Six emulated drives and their six rods, moved together in time; any rack is built on this.

    group = DriveGroup(RackSettings(), seed=1)
    group.drives[0].write_controlword(0x06)
    group.advance(0.004)

Not modelled: the platform on top, which would couple the rods.
"""

from __future__ import annotations

import random

from sim.devices.drive_node import EmulatedDrive
from sim.devices.drive_parameters import RackSettings
from sim.devices.plant import Rod, substeps


class DriveGroup:
    """Six drives and six rods.

    Args:
        seed: Seed of where the rods stand and what the encoders say when the power comes.
    """

    def __init__(self, settings: RackSettings, *, seed: int) -> None:
        rng = random.Random(seed)  # noqa: S311  (an emulated machine, no secret)
        self.rods: tuple[Rod, ...] = tuple(Rod(node.rod) for node in settings.nodes)
        for rod in self.rods:
            spread = rng.uniform(-settings.start_spread_m, settings.start_spread_m)
            rod.x_m = max(0.0, min(rod.settings.stroke_m, rod.x_m + spread))
        self.drives: tuple[EmulatedDrive, ...] = tuple(
            EmulatedDrive(
                node,
                self.rods[node.motor],
                self.rods[node.encoder],
                random.Random(rng.getrandbits(32)),  # noqa: S311
            )
            for node in settings.nodes
        )

    @property
    def still(self) -> bool:
        """Whether time alone changes nothing: no power, no speed, nothing about to be enabled."""
        for rod in self.rods:
            if not rod.still:
                return False
        return all(drive.still for drive in self.drives)

    def advance(self, dt_s: float) -> None:
        """Move everything on, in substeps of at most 1 ms; what is still costs next to nothing.

        Args:
            dt_s: Time that passes [s]; 0 or less does nothing.
        """
        if self.still:
            return
        count, step_s = substeps(dt_s)
        drives, rods = self.drives, self.rods
        for _ in range(count):
            for drive in drives:
                drive.control(step_s)
            for rod in rods:
                rod.advance(step_s)
            for drive in drives:
                drive.sense()
