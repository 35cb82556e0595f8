"""A gate whose drives are lost in mid-run, after something has gone wrong on their link before."""

import sys

from drives.bank import LinkLostError
from drives.simulated_bank import SimulatedBank
from hil.stations.platform.gate import process

CYCLES = 60
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
    return process.main()


if __name__ == "__main__":
    sys.exit(main())
