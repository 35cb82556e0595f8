"""The emulated arm as a program: controller, line, clock and console in one loop.

The loop sleeps in `select` until bytes arrive or the controller has something to do, and hands the
time of its clock to everything else.

Not modelled: the latency of a real serial adapter; two hosts on one line.
"""

from __future__ import annotations

import selectors
from collections.abc import Callable
from typing import Final, TextIO

from sim.devices.admission import Admission
from sim.devices.arm.console import ArmConsole
from sim.devices.arm.controller import ArmController
from sim.devices.arm.faults import ArmFault
from sim.devices.arm.plant_servos import JointPlant, warm_plant_servos
from sim.devices.arm.ports import ControllerPort
from sim.devices.arm.settings import ArmControllerSettings
from sim.devices.console_input import ConsoleInput

_IDLE_S: Final = 0.05
"""Longest sleep [s]: how soon `stop` is seen."""


def run_arm_controller(
    settings: ArmControllerSettings,
    *,
    now_s: Callable[[], float],
    ready: Callable[[str], None],
    stop: Callable[[], bool],
    port: int = 0,
    pty: bool = False,
    any_user: bool = False,
    console: TextIO | None = None,
    script: tuple[ArmFault, ...] = (),
    seed: int = 0,
    plant: JointPlant | None = None,
    say: Callable[[str], None] | None = None,
    end_with_console: bool = False,
    watch: Callable[[ArmController, float], None] | None = None,
) -> None:
    """Run an emulated arm until told to stop.

    Args:
        ready: Called with the URL once a host can connect, and again with the new one when a
            pseudo-terminal was plugged in again.
        stop: Asked at least every 50 ms whether to end.
        port: TCP port on 127.0.0.1; 0 for any free one.
        pty: Whether to use a pseudo-terminal instead of TCP.
        any_user: Whether other users of this machine may connect to the port.
        console: Where lines of the console come from; it needs a file descriptor.
        script: Faults to have; their times count from now.
        seed: Seed of the noise.
        plant: The body that its motors move; None for joints that bear nothing.
        say: Called with the answers of the console; without it they are not heard.
        end_with_console: Whether the arm ends when the console's input does, so that it does not
            outlive the program at the other end of that pipe.
        watch: Called after every turn of the loop with controller and time [s], to record it.

    Raises:
        OSError: If the port is taken or there are no pseudo-terminals.
        ValueError: If the arm cannot stand where it is to start.
    """
    _warm(settings)
    with selectors.SelectSelector() as selector:  # epoll would round sleeps up to whole ms
        admission = Admission(any_user=any_user, say=say)
        wire = ControllerPort(selector, baud=settings.baud, port=port, pty=pty, admission=admission)
        try:
            controller = ArmController(settings, now_s=now_s(), seed=seed, plant=plant)
            for fault in script:
                controller.inject(fault, now_s())
            loop = _Loop(controller, wire, selector, ready)
            typed = ConsoleInput(console, selector, ArmConsole(controller).execute, say)
            ready(wire.url)
            while not (stop() or (end_with_console and typed.ended)):
                loop.turn(now_s)
                if watch is not None:
                    watch(controller, now_s())
        finally:
            wire.close()


def _warm(settings: ArmControllerSettings) -> None:
    """Compile what has to be quick, before anybody waits for it."""
    controller = ArmController(settings, now_s=0.0)
    controller.motion.extend(controller.motion.path.last, 0.1, 0.1 + settings.period_s)
    controller.motion.run(0.2)
    warm_plant_servos()


class _Loop:
    """What one turn of `run_arm_controller` works on."""

    def __init__(
        self,
        controller: ArmController,
        wire: ControllerPort,
        selector: selectors.BaseSelector,
        ready: Callable[[str], None],
    ) -> None:
        self._controller, self._wire = controller, wire
        self._selector, self._ready = selector, ready
        self._unplugged = False

    def turn(self, now_s: Callable[[], float]) -> None:
        """Sleep until something is due, then serve everybody once."""
        sleep_s = self._controller.next_due_s() - now_s()
        events = self._selector.select(max(0.0, min(_IDLE_S, sleep_s)))
        time_s = now_s()
        # What was due before is said before anything new is heard.
        self._wire.send(self._controller.advance(time_s))
        for key, _ in events:
            key.data(time_s)
        data = self._wire.fetch()
        if data:
            self._controller.receive(data, time_s)
        self._follow_plug()

    def _follow_plug(self) -> None:
        unplugged = self._controller.faults.value("unplug") is not None
        if unplugged == self._unplugged:
            return
        self._unplugged = unplugged
        if unplugged:
            self._wire.unplug()
            self._controller.discard()
        elif self._wire.plug():
            self._ready(self._wire.url)
