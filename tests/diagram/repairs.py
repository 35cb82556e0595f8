"""Repairs of exercises as a student makes them: found by kind and numbers, edited by hand.

Nothing here knows how a fault was put in, nor what the names are.
"""

import math
from dataclasses import replace

from hil.diagram.file.model import DrawnBlock


class Bench:
    """A file's blocks and wires, to be edited."""

    def __init__(self, file):
        self.file = file
        self.blocks, self.wires = dict(file.top.blocks), dict(file.top.wires)

    def repaired(self):
        top = replace(self.file.top, blocks=self.blocks, wires=self.wires, places={})
        return replace(self.file, top=top)

    def find(self, kind, fits=lambda p: True, into=None):
        """The one block of a kind with fitting parameters, and perhaps wired into another."""
        found = [
            name
            for name, one in self.blocks.items()
            if one.kind == kind and fits(one.parameters)
            and (into is None or f"{name}.y" in self.sources(into))
        ]  # fmt: skip
        assert len(found) == 1, (kind, found)
        return found[0]

    def sources(self, name):
        return [of for to, of in self.wires.items() if to.partition(".")[0] == name]

    def targets(self, name):
        return [to.partition(".")[0] for to, of in self.wires.items() if of == f"{name}.y"]

    def set(self, name, **parameters):
        one = self.blocks[name]
        self.blocks[name] = replace(one, parameters={**one.parameters, **parameters})

    def take_out(self, name):
        (source,) = self.sources(name)
        del self.blocks[name], self.wires[f"{name}.u"]
        self.wires = {to: source if of == f"{name}.y" else of for to, of in self.wires.items()}

    def add(self, name, kind, wires, **parameters):
        self.blocks[name] = DrawnBlock(kind, parameters)
        self.wires |= {f"{name}.{port}": source for port, source in wires.items()}


def setting(kind, fits, **parameters):
    def repair(bench):
        bench.set(bench.find(kind, fits), **parameters)

    return repair


def taking_out(kind, fits=lambda p: True):
    def repair(bench):
        bench.take_out(bench.find(kind, fits))

    return repair


def is_zero(unit):
    return lambda p: p["k"] == 0.0 and p.get("unit", "1") == unit


def error_sum(signs):
    return lambda p: p.get("signs") == signs


def tachometer(bench):
    name = bench.find("Gain", lambda p: "rpm" in p.get("unit", ""))
    bench.set(name, k=2.0 * math.pi / 60.0)


def radians(bench):
    name = bench.find("Gain", lambda p: p.get("unit") == "1/deg")
    bench.set(name, k=math.pi / 180.0)


def moment_gain(bench):
    name = bench.find("Gain", lambda p: p.get("unit", "1") == "1" and p["k"] > 1.0)
    bench.set(name, k=0.2)


def proportional_of_motor(bench):
    name = bench.find("Gain", lambda p: p.get("unit") == "V*s" and p["k"] > 1.0)
    bench.set(name, k=0.15)


def force_gain(bench):
    name = bench.find("Gain", lambda p: p.get("unit", "1") == "1" and p["k"] > 1.0)
    bench.set(name, k=0.4)


def integral_of_motor(bench):
    bench.set(bench.find("Gain", is_zero("V")), k=0.5)


def swapped_axes(bench):
    bench.take_out(bench.find("MatrixGain"))


def turned_hand(bench):
    still = bench.find("Constant", lambda p: p.get("unit") == "rad")
    (rotation,) = bench.targets(still)
    bench.wires[f"{rotation}.u"] = "angle.y"


def outer_loop(bench):
    """The loop of angle and speed drawn anew in place of the constant moment."""
    constant = bench.find("Constant", lambda p: p.get("unit") == "N*m")
    bench.add("n1", "Sum", {"u1": "goal.y", "u2": "angle.y"}, signs="+-")
    bench.add("n2", "Gain", {"u": "n1.y"}, k=2.0, unit="1/s")
    bench.add("n3", "Saturation", {"u": "n2.y"}, low=-0.35, high=0.35, unit="rad/s")
    bench.add("n4", "Sum", {"u1": "n3.y", "u2": "speed.y"}, signs="+-")
    bench.add("n5", "Gain", {"u": "n4.y"}, k=10.0, unit="N*m*s")
    bench.add("n6", "Gain", {"u": "n4.y"}, k=12.0, unit="N*m")
    bench.add("n7", "LimitedIntegral", {"u": "n6.y"}, low=-14.0, high=14.0, unit="N*m")
    bench.add("n8", "Sum", {"u1": "n5.y", "u2": "n7.y"}, signs="++")
    (limit,) = bench.targets(constant)
    bench.wires[f"{limit}.u"] = "n8.y"


def owner(end):
    return end.partition(".")[0]


def opposite(bench):
    """Both constants of the choice are alike; the one for the left is that wired to u1."""
    choice = bench.find("Switch")
    bench.set(owner(bench.wires[f"{choice}.u1"]), value=1.0)
    bench.set(owner(bench.wires[f"{choice}.u2"]), value=-1.0)


def more_room(bench):
    """The comparison of the room on both sides turned round."""
    for name, one in bench.blocks.items():
        if one.kind != "Less":
            continue
        if all(bench.blocks[of].kind == "SumElements" for of in map(owner, bench.sources(name))):
            bench.blocks[name] = replace(one, kind="Greater")


def of_front(bench):
    """The expression that beams of the front are wired to."""
    (beams,) = (owner(to) for to, of in bench.wires.items() if of == "front.y"
                and bench.blocks[owner(to)].kind == "Demux")  # fmt: skip
    (found,) = {owner(to) for to, of in bench.wires.items() if owner(of) == beams}
    return found


def far_where_nothing_is_seen(bench):
    bench.set(of_front(bench), values=(5.0,))


def least_of_the_front(bench):
    """As for the left."""
    values = [f"if(s{k}, d{k}, far)" for k in range(1, 6)]
    text = values[0]
    for one in values[1:]:
        text = f"min({text}, {one})"
    bench.set(of_front(bench), text=f"y = {text}")


def in_order(bench):
    """Turning begins at the lesser distance, and ends at the greater."""
    lengths = [name for name, one in bench.blocks.items()
               if one.kind == "Constant" and one.parameters.get("unit") == "m"]  # fmt: skip
    for name in lengths:
        for target in bench.targets(name):
            if of_front(bench) in map(owner, bench.sources(target)):
                kind = bench.blocks[target].kind
                bench.set(name, value=0.35 if kind == "Less" else 0.7)


def sides_in_order(bench):
    """Left is speed less turning, and comes first."""
    mux = bench.find("Mux")
    signs = {bench.blocks[one].parameters["signs"]: one for one in map(owner, bench.sources(mux))}
    bench.wires |= {f"{mux}.u1": f"{signs['+-']}.y", f"{mux}.u2": f"{signs['++']}.y"}


WAYS = (
    "* -> align: there 0; drive -> turn: near 1; turn -> follow: open 1; "
    "follow -> turn: near 1; follow -> drive: free 2"
)


def with_all_transitions(bench):
    """All ways between the states, drawn anew."""
    machine = bench.find("StateMachine")
    bench.set(machine, transitions=WAYS)
    if f"{machine}.free" not in bench.wires:
        both = bench.find("And")
        bench.wires[f"{machine}.free"] = f"{both}.y"


def axis_forward(bench):
    """From the centre to the front."""
    found = next(name for name, one in bench.blocks.items() if one.kind == "Sum"
                 and sorted(bench.sources(name)) == ["p1.y", "p2.y"])  # fmt: skip
    bench.set(found, signs="+-")


def side_of_the_hand(bench):
    found = next(name for name, one in bench.blocks.items()
                 if one.parameters.get("text", "").startswith("y = if(hand"))  # fmt: skip
    bench.wires[f"{found}.l"], bench.wires[f"{found}.r"] = (
        bench.wires[f"{found}.r"], bench.wires[f"{found}.l"],
    )  # fmt: skip


def with_text(bench, before, **parameters):
    """Expression of a text, with other parameters."""
    bench.set(bench.find("Expression", lambda p: p["text"] == before), **parameters)


def firm_grip(bench):
    bench.set(bench.find("Constant", lambda p: p.get("unit") == "N"), value=40.0)
    with_text(bench, "y = f > n", values=(28.0,))
    with_text(bench, "y = f < n", values=(10.0,))


def weakest_finger(bench):
    with_text(bench, "y = max(max(f1, f2), max(f3, f4))", text="y = min(f1, min(f2, min(f3, f4)))")


def states_of_grip(bench):
    """All ways between the states, drawn anew."""
    machine = bench.find("StateMachine")
    bench.set(machine, transitions="close -> turn: gripped; turn -> open: arrived; "
                                   "turn -> close: lost 1")  # fmt: skip
    for guard, text in (("lost", "y = f < n"), ("arrived", "y = abs(e) < near")):
        found = bench.find("Expression", lambda p, text=text: p["text"] == text)
        bench.wires[f"{machine}.{guard}"] = f"{found}.y"


def opening(bench):
    found = bench.find("Constant", lambda p: p.get("unit", "1") == "1" and p["value"] > 0.0)
    bench.set(found, value=-0.4)


def all_errors(bench):
    for name, one in list(bench.blocks.items()):
        if one.kind == "Sum" and one.parameters["signs"] == "-+":
            bench.set(name, signs="+-")


def fingers_in_order(bench):
    """The force of each finger goes to the error behind the voltage of the same finger."""
    mux, demux = bench.find("Mux"), bench.find("Demux")
    for number in range(1, 5):
        voltage = owner(bench.wires[f"{mux}.u{number}"])
        gain = owner(bench.wires[f"{voltage}.p"])
        bench.wires[f"{owner(bench.wires[f'{gain}.u'])}.u2"] = f"{demux}.y{number}"


def softly(bench):
    for name, one in list(bench.blocks.items()):
        if one.kind == "Gain" and one.parameters.get("unit") == "1/(N*s)":
            bench.set(name, k=0.0085)
        if one.kind == "LimitedIntegral" and one.parameters["high"] > 2.0:
            bench.set(name, high=0.9)


REPAIRS = {
    "grip": {
        "the grip is too weak": firm_grip,
        "turns when the first finger presses": weakest_finger,
        "a lost grip is not taken again": states_of_grip,
        "never lets go": states_of_grip,
        "opening closes": opening,
        "errors of the forces of the wrong sign": all_errors,
        "two fingers exchanged": fingers_in_order,
        "one finger has no integral": softly,
        "the way of the wrong sign": all_errors,
        "a slow filter in the angle": taking_out("Lag"),
        "the fingers are closed too hard": softly,
    },
    "mobile": {
        "always the same hand": opposite,
        "the narrower side is chosen": more_room,
        "nothing seen is taken as near": far_where_nothing_is_seen,
        "seen and not seen are exchanged": least_of_the_front,
        "the mean of the beams": least_of_the_front,
        "the two distances exchanged": in_order,
        "voltages of the sides exchanged": sides_in_order,
        "no way back to the goal": with_all_transitions,
        "front not watched while following": with_all_transitions,
        "centre and front exchanged": axis_forward,
        "the other side is followed": side_of_the_hand,
        "away and towards exchanged": setting("Sum", error_sum("-+"), signs="+-"),
        "a slow filter in the front's distance": taking_out("Lag"),
        "turned away from the final direction": setting("Sum", error_sum("-+"), signs="+-"),
    },
    "motor": {
        "error of the wrong sign": setting("Sum", error_sum("-+"), signs="+-"),
        "wrong unit": tachometer,
        "no integral": integral_of_motor,
        "integral without a limit": setting("LimitedIntegral", lambda p: True, low=-24.0,
                                            high=24.0),
        "a delay in the measurement": taking_out("Delay"),
        "a slow filter in the measurement": taking_out("Lag"),
        "a limit that is too narrow": setting("Saturation", lambda p: True, low=-24.0, high=24.0),
        "a gain that is too high": proportional_of_motor,
        "a dead zone in the error": taking_out("DeadZone"),
        "a ramp that is too slow": setting("RateLimit", lambda p: True, rise=400.0),
    },
    "wall": {
        "error of the wrong sign": setting("Sum", error_sum("-+"), signs="+-"),
        "a proportional gain above 1": force_gain,
        "no gravity compensation": setting("Gain", is_zero("N"), k=40.0),
        "tool weight not subtracted": setting("Gain", is_zero("N"), k=8.0),
        "degrees taken for radians": radians,
        "no integral": setting("Gain", is_zero("1/s"), k=2.0),
        "a slow filter in the feedback": taking_out("Lag"),
        "a delay in the feedback": taking_out("Delay"),
        "an integral that cannot reach": setting("LimitedIntegral", lambda p: True, low=-60.0,
                                                 high=60.0),
    },
    "valve": {
        "no counter voltage": setting("Gain", is_zero("s"), k=1.0 / 1.047),
        "a moment gain above 1": moment_gain,
        "axes of the side force exchanged": swapped_axes,
        "side force in fixed axes": turned_hand,
        "a constant moment in place of the outer loop": outer_loop,
        "the way of the wrong sign": setting("Sum", error_sum("-+"), signs="+-"),
        "a slow filter in the angle": taking_out("Lag"),
        "no limit of the speed": setting("Saturation", lambda p: p.get("unit") == "rad/s",
                                         low=-0.35, high=0.35),
        "no integral of the slip": setting("Gain", is_zero("N*m"), k=12.0),
        "relief of the wrong sign": setting("Gain", lambda p: p["k"] < 0.0, k=0.0009),
    },
}  # fmt: skip
"""Exercise → fault → what a student does."""
