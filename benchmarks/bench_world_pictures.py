"""Pictures of a robot beside the engine's own renderer: --only world_pictures.

Both draw the same states of robot A in the same quality, each in a process of its own, in turns;
ours sends its pictures to this process as well. Without a GPU all of it is done by the processor.
"""

import json
import math
import os
import subprocess
import sys
import time
from collections import deque
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from hil.machines.world.robot_documents import robot_of
from hil.stations.world.view.pictures import PictureProcess
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.pictures.wire import PictureOrder, Quality

FRAMES = {"draft": 300, "fine": 30}
ROUNDS = 7

BARE = """
import json, sys, time
import numpy as np
order = json.loads(sys.stdin.readline())
import mujoco
model = mujoco.MjModel.from_xml_string(order["text"])
data = mujoco.MjData(model)
renderer = mujoco.Renderer(model, order["height"], order["width"])
renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = order["shadow"]
renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
camera = mujoco.MjvCamera()
camera.lookat[:], camera.distance = order["look_at"], order["distance"]
camera.azimuth, camera.elevation = order["azimuth"], order["elevation"]
states, out = np.array(order["states"]), np.zeros((order["height"], order["width"], 3), np.uint8)
def draw(positions):
    data.qpos[:] = positions
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_camlight(model, data)
    renderer.update_scene(data, camera)
    renderer.render(out=out)
draw(states[0])
print("ready", flush=True)
for line in sys.stdin:
    begin = time.perf_counter()
    for positions in states:
        draw(positions)
    print(len(states) / (time.perf_counter() - begin), int(out.sum()), flush=True)
"""


def states(count: int) -> np.ndarray:
    """Positions of robot A, swinging in all joints, shape (count, 6)."""
    t = np.linspace(0.0, 2.0 * math.pi, count)[:, None]
    start = np.radians([0.0, 20.0, -20.0, 30.0, 60.0, 0.0])
    return start + 0.3 * np.sin(t * np.arange(1, 7))


def lit(order: PictureOrder) -> tuple[str, dict[str, Any]]:
    """Text and camera that the process draws, made once more in a process that has no screen."""
    code = (
        "import json, sys\n"
        "from sim.world.pictures.drawing import Drawing\n"
        "from sim.world.pictures.wire import PictureOrder\n"
        "texts = []; taken = Drawing._taken\n"
        "Drawing._taken = lambda self, text: (texts.append(text), taken(self, text))[1]\n"
        "d = Drawing(PictureOrder.from_json(sys.stdin.buffer.read()), 'egl'); c = d._cameras[0]\n"
        "print(json.dumps([texts[-1], dict(look_at=c.lookat.tolist(), distance=c.distance,"
        " azimuth=c.azimuth, elevation=c.elevation)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=order.to_json(), stdout=subprocess.PIPE, check=True,
        env=os.environ | {"MUJOCO_GL": "egl"},
    )  # fmt: skip
    text, camera = json.loads(done.stdout)
    return text, camera


def measured(quality: Quality) -> dict[str, float]:
    """Pictures per second of both, the best of some rounds."""
    robot, _ = robot_of("robot_a")
    rows = states(FRAMES[quality])
    text = model_text([PlacedRobot(robot)]).text
    order = PictureOrder(text=text, start=tuple(rows[0].tolist()), quality=quality)
    text, camera = lit(order)
    told = {"text": text, "width": order.width, "height": order.height, "states": rows.tolist()}
    told |= {"shadow": quality == "fine", **camera}
    bare = subprocess.Popen(
        [sys.executable, "-c", BARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"MUJOCO_GL": "egl"},
    )  # fmt: skip
    assert bare.stdin is not None
    assert bare.stdout is not None
    rates = {"ours": 0.0, "bare": 0.0}
    try:
        bare.stdin.write(json.dumps(told) + "\n")
        bare.stdin.flush()
        bare.stdout.readline()
        with PictureProcess(order) as process:
            for _ in range(ROUNDS):  # in turns, so that both meet the same machine
                begin = time.perf_counter()
                last = deque(process.film(rows), 1)[0]
                rates["ours"] = max(rates["ours"], len(rows) / (time.perf_counter() - begin))
                bare.stdin.write("\n")
                bare.stdin.flush()
                rate, total = bare.stdout.readline().split()
                rates["bare"] = max(rates["bare"], float(rate))
        if int(total) != int(last.sum()):
            raise RuntimeError(f"{quality}: the two draw different pictures")
    finally:
        bare.kill()
        bare.wait()
        bare.stdin.close()
        bare.stdout.close()
    return rates


def run() -> dict[str, Any]:
    """Measure both qualities, print a table, return the figures."""
    table = Table(title="Pictures of robot A, 640 x 480")
    for heading in ("quality", "ours /s", "bare /s", "ratio", "asked"):
        table.add_column(heading)
    found: dict[str, Any] = {}
    qualities: tuple[Quality, ...] = ("draft", "fine")
    for quality in qualities:
        rates = measured(quality)
        ratio = rates["ours"] / rates["bare"]
        found[quality] = {**rates, "ratio": ratio}
        table.add_row(
            quality, f"{rates['ours']:.1f}", f"{rates['bare']:.1f}", f"{ratio:.3f}", ">= 0.9"
        )
    Console().print(table)
    return found
