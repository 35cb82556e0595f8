"""A flight of JSBSim that sends its own FLIGHTGEAR output here; prints each packet and its tree."""

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


port = heard.getsockname()[1]
output = Path(sys.argv[1]) / "output.xml"
output.write_text(
    f'<?xml version="1.0"?><output name="127.0.0.1" type="FLIGHTGEAR" protocol="UDP" rate="60" '
    f'port="{port}"/>'
)
flight = jsbsim.FGFDMExec(jsbsim.get_default_root_dir())
flight.set_debug_level(0)
flight.load_model("c172x")
flight.set_output_directive(str(output))
for name, value in (
    ("ic/h-sl-ft", 4000.0), ("ic/vc-kts", 95.0), ("ic/phi-deg", 15.0), ("ic/psi-true-deg", 200.0),
    ("ic/lat-gc-deg", 51.0), ("ic/long-gc-deg", 13.0),
):  # fmt: skip
    flight[name] = value
flight.run_ic()
received()  # of the initial condition, before its accelerations are known
flight["propulsion/set-running"] = -1
names = [f"accelerations/a-pilot-{axis}-ft_sec2" for axis in "xyz"]
names += [f"velocities/{axis}-rad_sec" for axis in "pqr"]
names += [f"velocities/{axis}-fps" for axis in "uvw"]
names += [f"attitude/{axis}-rad" for axis in ("phi", "theta", "psi")]
rows = []
for step in range(240):
    flight["fcs/aileron-cmd-norm"] = 0.3 if 60 < step < 120 else -0.1
    flight["fcs/elevator-cmd-norm"] = -0.2 if step > 90 else 0.1
    flight.run()
    for datagram in received():
        rows.append({"datagram": datagram.hex(), "tree": {name: flight[name] for name in names}})
print(json.dumps(rows))
