"""Six emulated drives and their six rods, moved together in time; any rack is built on this.

    group = DriveGroup(RackSettings(), seed=1)
    group.drives[0].write_controlword(0x06)
    group.advance(0.004)

Behind a plant the rods are where it has them, and the drives know their own rods only; without one
each rod is by itself, with a load that its drive knows.
"""

from __future__ import annotations

import random

from hil_common.plant import Plant
from sim.devices.drive.node import EmulatedDrive
from sim.devices.drive.parameters import RackSettings
from sim.devices.drive.rods import Rod, substeps
from sim.devices.drive.servo import LoadServo


class DriveGroup:
    """Six drives and six rods.

    Args:
        seed: Seed of where the rods stand and what the encoders say when the power comes.
        plant: The body that couples the rods; None for rods by themselves.
    """

    def __init__(self, settings: RackSettings, *, seed: int, plant: Plant | None = None) -> None:
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

        self._plant = plant
        if plant is not None:
            plant.begin([rod.x_m for rod in self.rods])
            for drive, node in zip(self.drives, settings.nodes, strict=True):
                drive.load_servo = LoadServo(settings.gains, node.rod.force_max_n)

    @property
    def still(self) -> bool:
        """Whether time alone changes nothing: no power, no speed, nothing about to be enabled.

        A plant goes on by itself.
        """
        if self._plant is not None:
            return False
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
            if self._plant is None:
                for rod in rods:
                    rod.advance(step_s)
            else:
                self._move(self._plant, step_s)
            for drive in drives:
                drive.sense()

    def _move(self, plant: Plant, step_s: float) -> None:
        """Let the motors push the plant, and the rods be where it has them then."""
        rods = self.rods
        locked = [not rod.powered for rod in rods]
        if any(locked):
            for rod in rods:
                if not rod.powered:
                    rod.force_n = 0.0
        plant.advance([rod.force_n for rod in rods], locked, step_s)
        for rod, x_m, v_m_s in zip(rods, plant.extensions_m(), plant.speeds_m_s(), strict=True):
            rod.x_m, rod.v_m_s = x_m, v_m_s
