"""What must hold in every cycle, and the search through all states of a `model.World`."""

import hashlib
from dataclasses import dataclass

from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.gate.server import Alone
from safety.modes import Mode, Severity

STARTED = {Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED}
GOOD = (Outcome.COMPLETED, Outcome.STOPPED)


class SelfStartError(AssertionError):
    """Something began, or went on, that nobody acted for."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What must hold, judged from outside; it knows no interlock.

    Args:
        closed: the gate has stopped for something that no person asked for, and nobody acted since.
        parked: it has parked since.
        grave: one of the causes since was class A or B, or came while the legs homed.
    """

    closed: bool = False
    parked: bool = False
    grave: bool = False

    def after(self, before, choice, world):
        """The watch after a cycle, which it judges.

        Args:
            before: mode before the cycle.
            choice: what happened in it.
            world: after it.

        Raises:
            SelfStartError: if something began that must not.
        """
        verdict, closed, parked, grave = world.verdict, self.closed, self.parked, self.grave
        mode = verdict.mode
        if choice.event == "act" and choice.control != "frozen" and world.connected:
            closed = parked = grave = False
        if closed and mode is not before:
            if mode in STARTED:
                raise SelfStartError(f"{before.name} to {mode.name} without an act")
            if mode is Mode.PARKING and (parked or grave or before is not Mode.HOLD):
                raise SelfStartError(
                    f"{before.name} to PARKING: twice, or after class A, B, homing"
                )
            parked = parked or mode is Mode.PARKING
        worst = max((v.severity for v in verdict.violations), default=Severity.INFORM)
        silent = world.server.alone in (Alone.SILENT, Alone.GONE)
        stopped = worst >= Severity.HOLD and (before is not Mode.OFF or silent)
        if stopped or silent:
            closed = True
            grave = grave or worst >= Severity.STOP or before is Mode.HOMING
        if choice.event == "estop" and before is not Mode.OFF and verdict.allowed is not None:
            raise SelfStartError(f"setpoints in {mode.name} with an open emergency stop")
        supervisor = world.supervisor
        over = supervisor is not None and supervisor.done and self.closed and closed
        if over and (supervisor.outcome in GOOD or not supervisor.reason):
            raise SelfStartError(f"a run that was stopped ends as {supervisor.outcome.value}")
        return Watch(closed, parked, grave)


@dataclass(slots=True)
class Graph:
    """What an exploration has seen.

    Args:
        states: how many different ones.
        transitions: how many steps were taken.
        modes: transitions between modes that occurred.
        digest: SHA-256, hexadecimal, of all transitions in the order in which they were taken: from
            which state to which, by their numbers, and the verdict.
    """

    states: int
    transitions: int
    modes: set
    digest: str = ""


def explore(world, choices):
    """Take every choice in every state that can be reached; judge each step.

    Args:
        world: in its first state.
        choices: what can happen, as a function of the mode.

    Raises:
        SelfStartError: with the shortest way there, as choices.
    """
    first = (world.save(), Watch())
    known = {hash((world.key(), Watch())): 0}
    parents = {}
    here = {next(iter(known)): first}
    graph = Graph(1, 0, set())
    edges = hashlib.sha256()
    while here:
        following = {}
        for name, (saved, watch) in here.items():
            for choice in choices(saved[0][0]):
                world.restore(saved)
                before = world.gate.mode
                world.cycle(choice)
                graph.transitions += 1
                graph.modes.add((before, world.gate.mode))
                try:
                    after = watch.after(before, choice, world)
                except SelfStartError as error:
                    raise SelfStartError(f"{error}\n{way_to(parents, name, choice)}") from None
                state = hash((world.key(), after))
                seen = known.get(state, len(known))
                edges.update(f"{known[name]} {seen} {world.verdict}\n".encode())
                if state in known or world.server.ended or is_over(world):
                    continue
                known[state] = seen
                parents[state] = (name, choice)
                following[state] = (world.save(), after)
        here = following
    graph.states, graph.digest = len(known), edges.hexdigest()
    return graph


def is_over(world):
    return world.supervisor is not None and world.supervisor.done


def way_to(parents, name, last):
    """The choices that lead to a state, one per line."""
    way = [last]
    while name in parents:
        name, choice = parents[name]
        way.append(choice)
    return "\n".join(map(str, reversed(way)))
