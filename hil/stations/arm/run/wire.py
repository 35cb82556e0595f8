"""The emulated robot: in this process, the same bytes in virtual time; or in one of its own."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_values import HostReport, HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.link import EndReason, Offer
from hil.config.errors import RefusedError
from hil.ipc.child import DEVNULL, PIPE, start_child
from hil.stations.arm.proof.prepare import ArmProof
from hil.stations.arm.run.world import in_world
from hil.timing.clock import Clock
from sim.devices.arm.controller import ArmController
from sim.devices.arm.faults import ArmFault
from sim.devices.arm.plant_servos import JointPlant
from sim.devices.arm.settings import ArmControllerSettings

END_WITHIN_S = 5.0


def emulated_controller(
    settings: ArmControllerSettings,
    clock: Clock,
    seed: int,
    faults: Iterable[ArmFault],
    plant: JointPlant | None = None,
) -> ArmController:
    """Make the emulated robot, with its faults from the beginning.

    Args:
        plant: what its motors move; None for joints that bear nothing.

    Raises:
        ValueError: if it cannot be so.
    """
    robot = ArmController(settings, now_s=clock.now_s(), seed=seed, plant=plant)
    for fault in faults:
        robot.inject(fault, clock.now_s())
    return robot


class VirtualLine:
    """Line of `arm_driver.contour.link`, with an emulated controller at its other end.

    A poll lets the bytes pass that are due by then, in both directions, in the time that the line
    takes; so it has to be polled as often as a reader would.
    """

    def __init__(
        self, controller: ArmController, settings: HostSettings, now_s: Callable[[], float]
    ) -> None:
        self._controller = controller
        self._now_s = now_s
        self._host = ContourHost(settings, now_s())

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """See `arm_driver.contour.link.Line`."""
        self._host.start(plan, self._now_s(), measured)

    def offer(self, location: Location) -> Offer:
        """See `arm_driver.contour.link.Line`."""
        return self._host.offer(location)

    def poll(self) -> HostReport:
        """Let the bytes pass that are due, and return the link as it is now."""
        now_s = self._now_s()
        data = self._controller.advance(now_s)
        if data:  # a reader has it when its last byte has come, and not only now
            self._pass(data, self._controller.left_s, now_s)
        self._pass(b"", now_s, now_s)
        return self._host.report(now_s)

    def _pass(self, data: bytes, received_s: float, now_s: float) -> None:
        line = self._host.receive(data, received_s)
        if line:
            self._controller.receive(line, now_s)
            self._host.sent(line, received_s)

    def end(self, reason: EndReason) -> None:
        """End the stream; the robot comes to rest at the last waypoint."""
        self._host.end(reason)

    def close(self) -> None:
        """Leave the robot alone; one that moves comes to rest by itself."""


@contextmanager
def emulated_robot(prepared: ArmProof) -> Iterator[str]:
    """Emulate a robot in a process of its own that is at the motion's start; yields its URL.

    Raises:
        RefusedError: if it does not start.
    """
    angles = ",".join(f"{angle:.6f}" for angle in np.degrees(prepared.start.q_rad))
    command = ["-m", "hil.cli", "arm", "emulate", "--pty", "--end-with-input"]
    command += [f"--start={angles}", f"--tool={1e3 * prepared.plan.robot.tool_m:g}"]
    command += in_world(prepared.plan)
    process = start_child(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    try:
        line = b"" if process.stdout is None else process.stdout.readline()
        if not line:
            raise RefusedError(f"the emulated robot did not start (status {process.wait()})")
        yield line.decode().strip()
    finally:
        process.terminate()
        process.end(END_WITHIN_S)
