"""Diagrams to edit, and random edits of them."""

import random
from contextlib import contextmanager

from hil.diagram.file.model import IN, OUT, SUB, Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.registry import faces, kinds
from hil.panel.diagram.models.clipboard import Paste, copied
from hil.panel.diagram.models.edits import Connect, Delete, Disconnect, PlaceBlock, Rename
from hil.panel.diagram.models.group_edits import Group, Ungroup
from hil.panel.diagram.models.line_edits import SetNote, SetParameter, SetTicks
from hil.panel.diagram.models.place_edits import AlignBlocks, Move

LEVEL = """format = 1
base_s = 0.002

[parameter]
"top" = { value = 10.0, low = 0.0, high = 20.0, unit = "V" }

[block]
"level" = { kind = "In", unit = "m" }
"wanted" = { kind = "Constant", unit = "m", value = 0.5 }
"error" = { kind = "Sum", signs = "+-" }
"pi" = { kind = "PI", ki = 0.5, kp = 2.0, unit = "V/m" }
"limit" = { kind = "Saturation", high = "$top", low = -10.0, unit = "V" }
"valve" = { kind = "Out", unit = "V" }

[wire]
"error.u1" = "wanted.y"
"error.u2" = "level.y"
"pi.e" = "error.y"
"limit.u" = "pi.y"
"valve.u" = "limit.y"

[place]
"error" = [100, 0]
"level" = [0, 80]
"limit" = [301, 3]
"pi" = [200, 0]
"valve" = [400, 0]
"wanted" = [0, 0]
"""
NESTED = """format = 1

[block]
"a" = { kind = "Constant", value = 1.0 }
"law" = { kind = "sub", of = "Law", k = 3.0, rate = 2, offset = 1 }
"hold" = { kind = "RateTransition" }
"in" = { kind = "RateTransition", rate = 2, offset = 1 }
"out" = { kind = "Out" }

[wire]
"hold.u" = "law.y"
"in.u" = "a.y"
"law.u" = "in.y"
"out.u" = "hold.y"

[place]
"a" = [0, 0]
"law" = [200, 0]

[sub.Law.parameter]
"k" = { value = 1.0 }

[sub.Law.block]
"gain" = { kind = "Gain", k = "$k" }
"slow" = { kind = "UnitDelay", rate = 5, offset = 2 }
"there" = { kind = "RateTransition", rate = 5, offset = 2 }
"back" = { kind = "RateTransition" }
"u" = { kind = "In" }
"y" = { kind = "Out" }

[sub.Law.wire]
"back.u" = "slow.y"
"gain.u" = "u.y"
"slow.u" = "there.y"
"there.u" = "gain.y"
"y.u" = "back.y"

[sub.Law.place]
"gain" = [100, 0]
"there" = [200, 10]
"""


def chain(blocks):
    """A long diagram of gains, sums and limits."""
    drawn, wires, before = {"c": DrawnBlock("Constant", {"value": 1.0, "unit": "N"})}, {}, "c.y"
    for number in range((blocks - 1) // 3):
        gain, total, limit = (f"{one}{number}" for one in ("gain", "sum", "limit"))
        drawn[gain] = DrawnBlock("Gain", {"k": 0.5})
        drawn[total] = DrawnBlock("Sum", {"signs": "+-"})
        drawn[limit] = DrawnBlock("Saturation", {"low": -1.0, "high": 1.0, "unit": "N"})
        wires |= {f"{gain}.u": before, f"{total}.u1": f"{gain}.y", f"{total}.u2": before,
                  f"{limit}.u": f"{total}.y"}  # fmt: skip
        before = f"{limit}.y"
    return DiagramFile(Diagram(drawn, wires))


def ports_of(file, block, *, inputs):
    """Names of a block's ports, also of one whose parameters are wrong: none then."""
    if block.kind == SUB:
        inner = file.sub(block.of)
        kind = IN if inputs else OUT
        return [name for name, one in inner.blocks.items() if one.kind == kind] if inner else []
    kind = kinds().get(block.kind) or faces()[block.kind]
    given = {one.name: block.parameters.get(one.name, one.default) for one in kind.parameters}
    try:
        ports = kind.ports_of(given)
    except (TypeError, KeyError):
        return []
    return [port.name for port in (ports.inputs if inputs else ports.outputs)]


class RandomEdits:
    """Edits drawn by a seed: most can be done, some are refused."""

    def __init__(self, file, seed):
        self.file, self.draw = file, random.Random(seed)

    def edit(self):
        draw = self.draw
        where = draw.choice(["", *self.file.subs]) if draw.random() < 0.4 else ""
        made = getattr(self, draw.choice([name for name in dir(self) if name.startswith("do_")]))
        return made(where, self.file.subs[where] if where else self.file.top)

    def some(self, diagram, most=4):
        names = sorted(diagram.blocks)
        return frozenset(self.draw.sample(names, min(len(names), self.draw.randint(0, most))))

    def one(self, diagram):
        return self.draw.choice([*sorted(diagram.blocks), "nobody"])

    def end(self, diagram, *, inputs):
        name = self.one(diagram)
        ports = []
        if name in diagram.blocks:
            ports = ports_of(self.file, diagram.blocks[name], inputs=inputs)
        return f"{name}.{self.draw.choice([*ports, 'x'])}"

    def at(self):
        return self.draw.randint(-50, 2000), self.draw.randint(-50, 900)

    def do_place(self, where, _):
        if self.draw.random() < 0.2 and self.file.subs:
            return PlaceBlock(where, SUB, self.at(), of=self.draw.choice(sorted(self.file.subs)))
        return PlaceBlock(where, self.draw.choice([*faces(), *kinds()]), self.at())

    def do_move(self, where, diagram):
        return Move(where, {name: self.at() for name in sorted(self.some(diagram))})

    def do_connect(self, where, diagram):
        ends = self.end(diagram, inputs=False), self.end(diagram, inputs=True)
        return Connect(where, *ends)

    def do_disconnect(self, where, diagram):
        return Disconnect(where, self.draw.choice([*sorted(diagram.wires), "x.u"]))

    def do_delete(self, where, diagram):
        return Delete(where, self.some(diagram, 2))

    def do_rename(self, where, diagram):
        return Rename(where, self.one(diagram), self.draw.choice(["a", "b_2", "Neu", "1x", "pi"]))

    def do_set(self, where, diagram):
        name = self.one(diagram)
        known = ["k"]
        if name in diagram.blocks and diagram.blocks[name].kind in kinds():
            known += [one.name for one in kinds()[diagram.blocks[name].kind].parameters]
        value = self.draw.choice([0.5, 1, -2.0, True, "N", "$top", "+-+", None, (1.0, 2.0)])
        return SetParameter(where, name, self.draw.choice(known), value)

    def do_ticks(self, where, diagram):
        return SetTicks(where, self.one(diagram), self.draw.randint(0, 4), self.draw.randint(0, 3))

    def do_note(self, where, diagram):
        return SetNote(
            where, self.draw.choice(["", self.one(diagram)]), self.draw.choice(["", "é"])
        )

    def do_align(self, where, diagram):
        edge = self.draw.choice(["left", "right", "top", "bottom"])
        return AlignBlocks(where, self.some(diagram), edge)

    def do_group(self, where, diagram):
        return Group(where, self.some(diagram), self.draw.choice(["Part", "Law", "Other"]))

    def do_ungroup(self, where, diagram):
        subs = [name for name, one in diagram.blocks.items() if one.kind == SUB]
        return Ungroup(where, self.draw.choice([*sorted(subs), self.one(diagram)]))

    def do_paste(self, where, diagram):
        return Paste(where, copied(self.file, where, self.some(diagram)))


@contextmanager
def editor_window(app, folder, monkeypatch, ends=None):
    """A window on LEVEL; what a slot raises fails the test at its end."""
    from hil.panel.diagram.models.document import Document
    from hil.panel.diagram.window import DiagramWindow

    faults = []  # of slots, which raise into Qt
    monkeypatch.setattr("sys.excepthook", lambda _, fault, __: faults.append(fault))
    path = folder / "law.toml"
    path.write_text(LEVEL)
    made = DiagramWindow(Document(path), ends=ends)
    made.show()
    made.view.fit()
    app.processEvents()
    yield made
    made.live.end()
    made.hide()
    made.document.close(discard=True)
    made.deleteLater()
    assert faults == []
