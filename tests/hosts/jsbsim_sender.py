"""A flight of JSBSim that sends by its own output directive; prints each datagram and its tree.

Arguments: the directive as XML, with PORT for the port; a folder for files; how many steps of 1/120
s. Prints a JSON list of the time of each datagram [s], the datagram and JSBSim's property tree.
"""

import json
import socket
import sys
from pathlib import Path

import jsbsim

heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
heard.bind(("127.0.0.1", 0))
heard.settimeout(0.001)


def received():
    """All datagrams that are there."""
    found = []
    while True:
        try:
            found.append(heard.recv(2048))
        except TimeoutError:
            return found


directive, folder, steps = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
output = folder / "output.xml"
output.write_text(directive.replace("PORT", str(heard.getsockname()[1])))
flight = jsbsim.FGFDMExec(jsbsim.get_default_root_dir())
flight.set_debug_level(0)
flight.load_model("c172x")
flight.set_output_filename(0, str(folder / "own.csv"))
flight.set_output_directive(str(output))
for name, value in (
    ("ic/h-sl-ft", 4000.0), ("ic/vc-kts", 95.0), ("ic/phi-deg", 15.0), ("ic/psi-true-deg", 200.0),
    ("ic/lat-gc-deg", 51.0), ("ic/long-gc-deg", 13.0),
):  # fmt: skip
    flight[name] = value
flight.run_ic()
begun = received()
flight["propulsion/set-running"] = -1
names = [f"accelerations/a-pilot-{axis}-ft_sec2" for axis in "xyz"]
names += [f"accelerations/n-pilot-{axis}-norm" for axis in "xyz"]
names += [f"accelerations/{axis}dot-rad_sec2" for axis in "pqr"]
names += [f"velocities/{axis}-rad_sec" for axis in "pqr"]
names += [f"velocities/{axis}-fps" for axis in "uvw"]
names += [f"attitude/{axis}-rad" for axis in ("phi", "theta", "psi")]
names += ["position/lat-geod-rad", "position/long-gc-rad", "position/h-sl-ft"]
rows = []
for step in range(steps):
    flight["fcs/aileron-cmd-norm"] = 0.3 if 60 < step < 120 else -0.1 if step < 240 else 0.0
    flight["fcs/elevator-cmd-norm"] = -0.2 if 90 < step < 240 else 0.1 if step < 90 else 0.0
    flight.run()
    tree = {name: flight[name] for name in names}
    for datagram in received():
        at_s = flight["simulation/sim-time-sec"]
        rows.append({"t_s": at_s, "datagram": datagram.hex(), "tree": tree})
print(json.dumps({"begun": [one.hex() for one in begun], "rows": rows}))
