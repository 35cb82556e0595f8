"""Diagrams drawn by a seed: all kinds, rates, nested, enabled and triggered sub-diagrams, loops."""

import random

from hil.diagram.file.model import FMU, Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.units import times, unit, words
from hil.diagram.library.kind import PortKind
from hil.diagram.library.registry import kinds

RATES = ((1, 0), (1, 0), (1, 0), (2, 0), (2, 1), (5, 3))
DELAYS = ("UnitDelay", "Delay", "Lag")
POWER_MOST = 3
TEXTS = (
    ("y = k*(u1 - u2)/sqrt(u1^2 + eps)", ""), ("k*u1 + eps; y2 = y < u2", ""),
    ("x' = k*(u1 - x); y = x + eps", "k 1/s"),
    ("y = if(p and u1 > k, limit(u1, -k, k), eps); q = not p or y >= 0; z = y^3; w = t", "w s"),
    ("y = tanh(sin(u1 + eps)) - hypot(u1, u2)/(1 + abs(u2)); x' = k*y; w = atan2(x, 1 + x^2)",
     "k 1/s"),
)  # fmt: skip
"""Expressions of the parameters k and eps, and units of their names."""


class Source:
    """An output that may be wired on: its port, and what it carries."""

    def __init__(self, text, type_, shape, exponents, rate):
        self.text, self.type, self.shape, self.rate = text, type_, shape, rate
        self.exponents = exponents

    @property
    def key(self):
        return self.type, self.shape


class Drawn:
    """One level of a diagram while it is drawn."""

    def __init__(self, draw, subs, depth):
        self.draw, self.subs, self.depth = draw, subs, depth
        self.blocks, self.wires, self.pool, self.later = {}, {}, [], []

    def name(self, kind):
        return f"{kind.lower()}_{len(self.blocks)}"  # atan2 and 73 are not atan and 273

    def face(self, inputs):
        for number in range(inputs):
            draw = self.draw
            type_ = draw.choice(("real", "real", "real", "boolean", "integer", "pose", "wrench"))
            shape = () if type_ != "real" else draw.choice(((), (), (3,)))
            shape = {"pose": (12,), "wrench": (6,)}.get(type_, shape)
            name = f"in{number}"
            parameters = {"type": type_, "shape": shape, "unit": "1"}
            self.blocks[name] = DrawnBlock("In", parameters)
            self.pool.append(Source(f"{name}.y", type_, shape, {}, (1, 0)))

    def begin(self):
        """Sources of every type, and of a vector and a matrix."""
        for kind, parameters in (
            ("Constant", {"value": self.number()}), ("Constant", {"value": self.vector(3)}),
            ("Constant", {"value": tuple(self.vector(3) for _ in range(3))}),
            ("PulseBoolean", {"period_s": 0.02, "width": self.draw.random()}),
            ("ConstantInteger", {"value": self.draw.randint(-3, 5)}),
            ("Constant", {"value": self.number(), "unit": "N"}),
            ("Constant", {"value": self.number(), "unit": "deg"}),
            ("Constant", {"value": self.number(), "unit": "m^2"}),
            ("Constant", {"value": self.vector(3), "unit": "N"}),
            ("Constant", {"value": self.vector(3), "unit": "N*m"}),
            ("Constant", {"value": self.vector(3), "unit": "m"}),
            ("Constant", {"value": self.number(), "unit": "m"}),
            ("Constant", {"value": tuple(self.vector(2) for _ in range(4)), "unit": "m"}),
            ("Constant", {"value": (self.vector(3),), "unit": "m"}),
            ("Constant", {"value": (tuple(self.vector(3) for _ in range(3)),)}),
            ("Constant", {"value": tuple(self.vector(3) for _ in range(3))}),
            ("Constant", {"value": tuple(self.vector(3) for _ in range(3)), "unit": "m"}),
        ):  # fmt: skip
            self.place(kind, parameters, {}, (1, 0))

    def number(self):
        return self.draw.choice((0.0, 1.0, -1.0, 0.5)) if self.draw.random() < 0.2 else (
            self.draw.gauss(0.0, 2.0))  # fmt: skip

    def vector(self, count):
        return tuple(self.number() for _ in range(count))

    def place(self, kind, parameters, wires, rate):
        """A block with its wires; its outputs join the pool."""
        name = self.name(kind)
        found = kinds()[kind]
        whole = {one.name: parameters.get(one.name, one.default) for one in found.parameters}
        ports = found.ports_of(whole)
        self.blocks[name] = DrawnBlock(kind, parameters, rate=rate[0], offset=rate[1])
        bound = {}
        for port in ports.inputs:
            if port.name in wires:
                source = wires[port.name]
                self.wires[f"{name}.{port.name}"] = source.text
                bind(bound, port, source)
        for port in ports.outputs:
            self.pool.append(Source(
                f"{name}.{port.name}", bound.get(port.type, port.type), bound.get(port.shape, ())
                if isinstance(port.shape, str) else port.shape, replaced(port.unit, bound),
                (0, 0) if found.constant else rate,
            ))  # fmt: skip
        return name, bound

    def fitting(self, port, bound, rate, any_rate):
        """Outputs that may drive an input, given what the block's variables are already."""
        type_, shape = bound.get(port.type, port.type), bound.get(port.shape, port.shape)
        for one in self.pool:
            if type_[0] != "?" and one.type != type_:
                continue
            if not isinstance(shape, str) and one.shape != shape:
                continue
            if not any_rate and one.rate not in ((0, 0), rate):
                continue
            wanted, power = unit_of(port.unit, bound)
            if wanted == one.exponents or (
                wanted is None and all(value % power == 0 for value in one.exponents.values())
            ):
                yield one

    def add(self, kind):
        """A block of a kind, if its inputs can be driven."""
        found, draw = kinds()[kind], self.draw
        rate = draw.choice(RATES)
        parameters = self.parameters(found)
        ports = found.ports_of(parameters)
        bound, wires = {}, {}
        for port in sorted(ports.inputs, key=lambda one: len(unit(one.unit))):
            if port.optional and draw.random() < 0.5:
                continue
            fitting = list(self.fitting(port, bound, rate, found.any_rate))
            if not fitting:
                return
            source = draw.choice(fitting[-30:])
            wires[port.name] = source
            bind(bound, port, source)
        for port in ports.outputs:
            exponents = replaced(port.unit, bound)
            if any(abs(one) > POWER_MOST for one in exponents.values()):
                return
        delayed = kind in DELAYS and draw.random() < 0.5
        if delayed:  # its input comes from anywhere, perhaps from what follows
            self.later.append((self.name(kind), wires["u"], rate))
            self.place(kind, parameters, wires, rate)
        else:
            self.place(kind, parameters, wires, rate)

    def parameters(self, kind):
        """Parameters of a kind: those of its example, numbers drawn anew where they may be."""
        draw, values = self.draw, {}
        for one in kind.parameters:
            value = kind.example.parameters.get(one.name, one.default)
            if one.type == "real" and value is not None and draw.random() < 0.7:
                trial = round(draw.gauss(0.0, 2.0), draw.choice((1, 6)))
                if one.low <= trial <= one.high and trial > one.above:
                    value = trial
            elif one.type == "integer" and one.name in ("ticks", "width"):
                value = draw.randint(max(1, value - 1), value + 3)
            elif one.choices:
                value = draw.choice(one.choices)
            elif one.type == "boolean":
                value = draw.random() < 0.5
            values[one.name] = value
        if draw.random() < 0.3:  # a number for each of three elements, about that for all
            values |= {
                one.name: tuple(values[one.name] * draw.choice((1.0, 1.25, 2.0)) for _ in range(3))
                for one in kind.parameters if one.each and draw.random() < 0.7
            }  # fmt: skip
        if kind.name == "Sum":
            values["signs"] = "".join(draw.choice("+-") for _ in range(draw.randint(1, 4)))
        if kind.name == "Expression":
            values |= dict(zip(("text", "units"), draw.choice(TEXTS), strict=True))
        if "dh" in values and draw.random() < 0.5:  # on a mount
            values["dh"] = ((0.3, 0.1, 0.0, 0.5, 0.0), *((*row, 1.0) for row in values["dh"]))
        if kind.name == "DampedLeastSquares":
            values["joints"] = 3
        if kind.name == "StateSpace":
            values |= self.system()
        if kind.fault_of(values):
            values = {one.name: kind.example.parameters.get(one.name, one.default)
                      for one in kind.parameters}  # fmt: skip
        return values

    def system(self):
        n, m, p = (self.draw.randint(1, 3) for _ in range(3))

        def matrix(rows, columns, scale):
            return tuple(tuple(self.draw.choice((0.0, self.draw.gauss(0.0, scale)))
                               for _ in range(columns)) for _ in range(rows))  # fmt: skip

        return {"A": matrix(n, n, 0.3), "B": matrix(n, m, 1.0), "C": matrix(p, n, 1.0),
                "D": matrix(p, m, 1.0)}  # fmt: skip

    def sub(self, size):
        """An instance of a sub-diagram that is drawn for it, or of one that is there already."""
        draw = self.draw
        if self.subs and draw.random() < 0.3:
            of = draw.choice(sorted(self.subs))
        else:
            of = f"Sub{len(self.subs)}"
            self.subs[of] = None  # its name is taken
            self.subs[of] = drawn_level(draw, self.subs, size, self.depth + 1, face=True)
        inner = self.subs[of]
        if inner is None:
            return
        rate = draw.choice(RATES)
        run = draw.choice(("always", "enabled", "triggered"))
        wires = {}
        for name, block in inner.blocks.items():
            if block.kind == "In":
                port = PortKind("u", "1", block.parameters["shape"], block.parameters["type"])
                fitting = list(self.fitting(port, {}, rate, False))
                if not fitting:
                    return
                wires[name] = draw.choice(fitting).text
        if run != "always":
            port = PortKind("u", "1", (), "boolean")
            fitting = list(self.fitting(port, {}, rate, False))
            if not fitting:
                return
            wires["enable" if run == "enabled" else "trigger"] = draw.choice(fitting).text
        name = self.name("sub")
        outs = [block for block in inner.blocks.values() if block.kind == "Out"]
        posed = any(block.parameters["type"] == "pose" for block in outs)  # which is never 0
        kept = {}
        if run != "always":
            kept = {"states": draw.choice(("held", "reset")),
                    "outputs": draw.choice(("held",) if posed else ("held", "reset"))}  # fmt: skip
        self.blocks[name] = DrawnBlock("sub", of=of, rate=rate[0], offset=rate[1], run=run, **kept)
        self.wires |= {f"{name}.{port}": text for port, text in wires.items()}
        for out, block in inner.blocks.items():
            if block.kind == "Out":
                self.pool.append(Source(
                    f"{name}.{out}", block.parameters["type"], block.parameters["shape"],
                    dict(unit(block.parameters["unit"])), rate,
                ))  # fmt: skip

    def bus(self):
        """Some outputs bundled, and taken apart again."""
        chosen = self.draw.sample(self.pool, min(len(self.pool), self.draw.randint(1, 4)))
        names = [f"w{number}" for number in range(len(chosen))]
        into, out_of = self.name("BusIn"), self.name("BusOut")
        self.blocks[into] = DrawnBlock("BusIn", {"names": " ".join(names)})
        self.blocks[out_of] = DrawnBlock("BusOut", {"names": " ".join(reversed(names))})
        self.wires |= {f"{into}.{name}": one.text for name, one in zip(names, chosen, strict=True)}
        self.wires[f"{out_of}.bus"] = f"{into}.bus"
        self.pool += [Source(f"{out_of}.{name}", one.type, one.shape, one.exponents, one.rate)
                      for name, one in zip(names, chosen, strict=True)]  # fmt: skip

    def close_loops(self):
        """Delays take their input from any output that fits, also from what hangs on them."""
        for name, before, rate in self.later:
            fitting = [
                one
                for one in self.pool
                if one.key == before.key
                and one.exponents == before.exponents
                and one.rate in ((0, 0), rate)
            ]
            self.wires[f"{name}.u"] = self.draw.choice(fitting).text

    def outs(self, count):
        chosen = [one for one in self.pool if one.rate == (1, 0)][-3 * count :]
        for number in range(count):
            source = self.draw.choice(chosen)
            self.blocks[f"out{number}"] = DrawnBlock(
                "Out", {"type": source.type, "shape": source.shape, "unit": words(source.exponents)}
            )
            self.wires[f"out{number}.u"] = source.text


def bind(bound, port, source):
    """What a wire says of a block's variables."""
    if port.type[0] == "?":
        bound.setdefault(port.type, source.type)
    if isinstance(port.shape, str):
        bound.setdefault(port.shape, source.shape)
    exponents = dict(unit(port.unit))
    if len(exponents) == 1 and next(iter(exponents))[0] == "?":
        ((variable, power),) = exponents.items()
        if all(one % power == 0 for one in source.exponents.values()):
            bound.setdefault(variable, {s: one // power for s, one in source.exponents.items()})


def unit_of(text, bound):
    """Exponents that a port wants; None and a power if it takes any such power."""
    exponents = unit(text)
    free = [one for one in exponents if one[0] == "?" and one not in bound]
    if not free:
        return replaced(text, bound), 1
    return (None, exponents[free[0]]) if len(exponents) == 1 else ({"no such unit": 1}, 1)


def replaced(text, bound):
    found = {}
    for symbol, power in unit(text).items():
        found = times(found, bound.get(symbol, {}) if symbol[0] == "?" else {symbol: 1}, power)
    return found


def drawn_level(draw, subs, size, depth, *, face):
    """A diagram of about so many blocks."""
    level = Drawn(draw, subs, depth)
    level.face(draw.randint(1, 3) if face else draw.randint(0, 2))
    level.begin()
    names = sorted(set(kinds()) - {FMU})
    while len(level.blocks) < size:
        if depth < 3 and size > 12 and draw.random() < 0.04:
            level.sub(max(5, size // 4))
        elif draw.random() < 0.03:
            level.bus()
        else:
            level.add(draw.choice(names))
    level.close_loops()
    level.outs(2)
    places = {name: (draw.randint(-900, 900), draw.randint(-900, 900))
              for name in level.blocks if draw.random() < 0.5}  # fmt: skip
    return Diagram(level.blocks, level.wires, places, note=draw.choice(("", 'a "note"\nof two')))


def drawn_file(seed):
    """A file with a diagram of 5 to 400 blocks, small ones more often."""
    draw = random.Random(seed)
    size = 5 + int(395 * draw.random() ** 5)
    subs = {}
    top = drawn_level(draw, subs, size, 0, face=False)
    whole = {name: one for name, one in subs.items() if one is not None}
    return DiagramFile(top, draw.choice((0.001, 0.002, 0.01)), seed, whole)
