"""A session client in a process of its own: leads a run into a mode, and goes on holding.

`python leading_panel.py SOCKET MODE`. It writes nothing; a line on its standard input makes it end
the run as a person would: SHUT_DOWN, and PARK wherever the platform holds.
"""

import select
import sys

from test_end_to_end import NOW_S, Panel

from hil.desk import messages as m

AGAIN_S = 0.5
NEXT = {
    "HOMING": {"IDLE": "home"},
    "STANDBY": {"IDLE": "home"},
    "ENGAGING": {"IDLE": "home", "STANDBY": "engage", "HOLD": "park"},
    "ENGAGED": {"IDLE": "home", "STANDBY": "engage", "HOLD": "park"},
    "HOLD": {"IDLE": "home", "STANDBY": "engage", "ENGAGED": "hold"},
    "PARKING": {"IDLE": "home", "STANDBY": "engage", "ENGAGED": "hold", "HOLD": "park"},
}
"""What a person presses in each mode on the way to another one."""


def told() -> bool:
    """Whether somebody has said that the run is to be ended."""
    return bool(select.select([0], [], [], 0)[0])


def lead(panel: Panel, wanted: str) -> None:
    """Press what leads to a mode, until it has been reached once."""
    pressed_s, before = -1.0, ""
    while not told():
        panel.turn()
        mode = panel.modes[-1][1] if panel.modes else ""
        if mode == wanted:
            break
        if mode != before:
            before, pressed_s = mode, NOW_S() - AGAIN_S + 0.1
        button = NEXT.get(wanted, {}).get(mode)
        if button is not None and NOW_S() - pressed_s > AGAIN_S:
            panel.grip()
            panel.press(button)
            pressed_s = NOW_S()
    if wanted == "ENGAGED":
        panel.press("play")


def finish(panel: Panel) -> None:
    """End the run with the dead-man held."""
    panel.grip()
    panel.press("shut_down")
    pressed_s = NOW_S()
    while panel.client.open and (not panel.modes or panel.modes[-1][1] != "OFF"):
        panel.turn()
        if panel.modes and panel.modes[-1][1] == "HOLD" and NOW_S() - pressed_s > AGAIN_S:
            panel.grip()
            panel.press("park")
            pressed_s = NOW_S()


def main(path: str, wanted: str) -> None:
    """Lead, hold, and end when told."""
    panel = Panel(path)
    panel.client.send(m.Take())
    lead(panel, wanted)
    while not told():
        panel.turn()
    finish(panel)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
