"""Prints what the model check's graphs consist of (`test_model_check.py`)."""

from model import World
from model_graph import explore
from pure_build import COMPILED
from test_model_check import BESIDE, PAIRS, any_control, supervised


def printed(name, graph):
    counts = f"{graph.states} states, {graph.transitions} transitions"
    print(f"{name}: {counts}, {graph.digest}", flush=True)


if __name__ == "__main__":
    print(f"compiled: {COMPILED}")
    for events in PAIRS:
        printed(f"supervisor and {events}", explore(World(), supervised(events)))
    for event in BESIDE:
        for led in (False, True):
            graph = explore(World(supervised=False, led=led), any_control(event))
            printed(f"any control, led: {led}, {event}", graph)
