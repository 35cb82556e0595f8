"""A gate whose drives are lost in mid-run, after something has gone wrong on their link before."""

import dataclasses
import sys

from drives.bank import LinkLostError
from drives.sim.bank import SimulatedBank
from hil.stations.platform.gate import process

CYCLES = 60
SEEN = "leg 4 (node 4): it is operation enabled"
"""Given as an argument: how the gate leaves a drive."""
TALLY = {"cycles": CYCLES, "missing": (0, 0, 3, 0, 0, 0), "malformed": 1, "notes": ("leg 3: late",)}


def main():
    exchange, cycles = SimulatedBank.exchange, [0]

    def lose(self, command):
        cycles[0] += 1
        if cycles[0] > CYCLES:
            raise LinkLostError("the adapter is unplugged")
        return exchange(self, command)

    SimulatedBank.exchange = lose
    SimulatedBank.link_tally = lambda self: TALLY
    if sys.argv[1:] == [SEEN]:
        close = SimulatedBank.close
        SimulatedBank.close = lambda self: dataclasses.replace(close(self), powered=(SEEN,))
    return process.main()


if __name__ == "__main__":
    sys.exit(main())
