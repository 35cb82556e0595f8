"""The console of the emulated arm: one line in, one answer out.

Not modelled: the monitor of a real controller; these are not its commands.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sim.devices.arm.controller import ArmController
from sim.devices.arm.faults import ARM_FAULTS, parse_arm_words
from sim.devices.arm.protocol import oat_of
from sim.devices.fault_text import FaultError, kinds_text, list_text

ARM_COMMANDS: Final = ("help", "status", "list", "clear", "start", "stop", "calibrate")


class ArmConsole:
    """Console that turns lines into faults and operator actions at the controller."""

    def __init__(self, controller: ArmController) -> None:
        self._controller = controller

    def execute(self, line: str, now_s: float) -> str:
        """Obey a line.

        Args:
            line: A command of `ARM_COMMANDS`, or a fault.

        Returns:
            The answer, never empty for a non-empty line; for a wrong line, what would
            have been right.
        """
        words = line.split()
        if not words:
            return ""
        try:
            if words[0] in ARM_COMMANDS:
                return self._command(words, now_s)
            if words[0] not in ARM_FAULTS:
                raise FaultError(
                    f"there is no command or fault {words[0]!r}: {', '.join(ARM_COMMANDS)}, or "
                    f"one of {', '.join(ARM_FAULTS)}"
                )
            fault = parse_arm_words(words)
            self._controller.inject(fault, now_s)
        except FaultError as error:
            return f"error: {error}"
        return f"ok: {fault.words}"

    def _command(self, words: list[str], now_s: float) -> str:
        name, *more = words
        if more and name != "clear":
            raise FaultError(f"{more[0]!r}: {name} stands alone")
        if name == "clear":
            return self._clear(more, now_s)
        if name == "help":
            return help_text()
        if name == "list":
            return self._list(now_s)
        actions = {
            "start": self._controller.start,
            "stop": self._controller.stop,
            "calibrate": self._controller.calibrate,
        }
        if name in actions:
            actions[name](now_s)
        return arm_status_text(self._controller)

    def _clear(self, kinds: list[str], now_s: float) -> str:
        if len(kinds) > 1 or any(kind not in ARM_FAULTS for kind in kinds):
            raise FaultError(f"{' '.join(kinds)!r}: write clear, or clear and one kind")
        faults = self._controller.faults
        return f"ok: {faults.clear(now_s, kinds[0] if kinds else None)} cleared"

    def _list(self, now_s: float) -> str:
        faults = self._controller.faults
        active = [fault.words for fault in faults.active]
        return list_text(active, [(at_s, fault.words) for at_s, fault in faults.waiting], now_s)


def arm_status_text(controller: ArmController) -> str:
    """Return the arm's state, its position, and the counts."""
    position_m, rotation = controller.gripper
    x, y, z = position_m * 1e3
    o, a, t = np.degrees(oat_of(rotation))
    joints = ", ".join(f"{angle:.2f}" for angle in np.degrees(controller.motion.q_rad))
    c = controller.counts
    lines = [
        f"{controller.state.name}, request {controller.seq}",
        f"gripper ({x:.2f}, {y:.2f}, {z:.2f}) mm, o a t ({o:.3f}, {a:.3f}, {t:.3f}) deg",
        f"joints ({joints}) deg",
        f"{c.requests} requests, {c.repeats} repeats, {c.waypoints} waypoints, {c.ends} ends, "
        f"{c.garbled} garbled, {c.stale} stale, {c.unasked} unasked, {c.refused} refused, "
        f"{c.dry} times dry",
    ]
    if controller.reason:
        lines.append(controller.reason)
    return "\n".join(lines)


def help_text() -> str:
    """Return the list of commands."""
    lines = [
        "KIND [value=X] [at_s=S] [duration_s=S]   have a fault",
        "clear [KIND]                             end faults",
        "list                                     faults that are on or will be",
        "status                                   what the arm does",
        "start, stop                              the program, at the controller",
        "calibrate                                the arm",
    ]
    return "\n".join(lines + kinds_text(ARM_FAULTS))
