"""A virtual screen for each worker: windows of two tests on one would take the keyboard from each
other."""

import os
import select
import shutil
import subprocess

WAIT_S = 20.0


def own_screen() -> subprocess.Popen[bytes] | None:
    """Begin an X server for this process, and tell Qt; None where there is none to be had.

    Its number is told once it listens.
    """
    server = shutil.which("Xvfb")
    if server is None or "DISPLAY" not in os.environ:
        return None  # windows that need a screen are skipped there, or were given one on purpose
    told, telling = os.pipe()
    options = ["-screen", "0", "1366x768x24", "-nolisten", "tcp", "-displayfd", str(telling)]
    screen = subprocess.Popen([server, *options], pass_fds=[telling], stderr=subprocess.DEVNULL)
    os.close(telling)
    number = b""
    try:  # to the end of the line: the server dies of a pipe that is closed before
        while not number.endswith(b"\n") and select.select([told], [], [], WAIT_S)[0]:
            if not (part := os.read(told, 16)):
                break
            number += part
    finally:
        os.close(told)
    if not number.endswith(b"\n"):
        screen.kill()
        screen.wait()
        return None
    os.environ["DISPLAY"] = f":{number.decode().strip()}"
    return screen
