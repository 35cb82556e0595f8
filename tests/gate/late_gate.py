"""A gate whose reactions to a lost control are patched out for forty cycles: a positive control."""

import sys

from hil.stations.platform.gate import process
from hil.stations.platform.gate.server import GateServer
from safety.stream import SetpointStream

CYCLES = 40


def main():
    react, begin = GateServer._be_alone, SetpointStream.__init__
    calls = [0]

    def slowly(self, why, index):
        calls[0] += 1
        if calls[0] > CYCLES:
            react(self, why, index)

    def forgiving(self, limits, *parts):
        begin(self, limits, *parts)
        self._missing_max = CYCLES

    GateServer._be_alone = slowly
    SetpointStream.__init__ = forgiving
    return process.main()


if __name__ == "__main__":
    sys.exit(main())
