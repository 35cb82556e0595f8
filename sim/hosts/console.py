"""The console of an emulated simulator: one line in, one answer out."""

from __future__ import annotations

from sim.devices.fault_text import FaultError
from sim.hosts.emulated_host import EmulatedHost
from sim.hosts.faults import KINDS, help_text, parse_fault
from sim.hosts.vehicle_motion import to_euler

COMMANDS = ("help", "status", "list", "clear")


class HostConsole:
    """Turns lines into faults of a simulator."""

    def __init__(self, host: EmulatedHost) -> None:
        self._host = host

    def execute(self, line: str, now_s: float) -> str:
        """Obey a line: `help`, `status`, `list`, `clear [KIND]`, or a fault.

        Args:
            now_s: on the simulator's clock [s].

        Returns:
            The answer, never empty for a line that says something.
        """
        words = line.split()
        if not words:
            return ""
        if words[0] == "help":
            return help_text()
        if words[0] == "status":
            return self._status()
        if words[0] == "list":
            return self._host.simulation.faults.text(now_s)
        try:
            if words[0] == "clear":
                return self._clear(words[1:])
            kind = words[0].partition("@")[0]
            if kind not in KINDS:
                raise FaultError(
                    f"there is no command or fault {kind!r}: "
                    f"{', '.join(COMMANDS)}, or one of {', '.join(KINDS)}"
                )
            fault = parse_fault(line)
        except FaultError as error:
            return f"error: {error}"
        self._host.fault(fault, now_s)
        return f"ok: {fault.line}"

    def _clear(self, words: list[str]) -> str:
        if len(words) > 1 or (words and words[0] not in KINDS):
            raise FaultError(f"{' '.join(words)!r}: write clear, or clear and a fault")
        return f"ok: {self._host.clear(words[0] if words else None)} cleared"

    def _status(self) -> str:
        simulation = self._host.simulation
        motion = simulation.motion
        roll, pitch, heading = (57.29577951 * angle for angle in to_euler(motion.attitude))
        speed_m_s = sum(part * part for part in motion.v_m_s) ** 0.5
        north, east, down = motion.position_m
        return (
            f"{simulation.feed_s:.1f} s of {self._host.lasts_s:.1f} s, "
            f"{self._host.packets} packets sent, {'left' if simulation.ended else 'running'}: "
            f"{speed_m_s:.1f} m/s, roll {roll:.1f}, pitch {pitch:.1f}, heading {heading:.1f} deg, "
            f"north {north:.0f}, east {east:.0f}, down {down:.0f} m"
        )
