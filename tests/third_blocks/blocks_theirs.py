"""Blocks of somebody else's, good ones and others."""

from dataclasses import replace

from hil.diagram.library.kind import BlockKind, Example, ParameterKind, PortKind, Ports


def mix(u, y, x, p, H):
    """Two vectors and a flag in, a vector and a scalar out, with everything that it is given."""
    for n in range(3):
        y[n] = (u[n] + u[3 + n] * p[0] if u[6] > 0.0 else u[n] / u[3 + n]) + x[n]
    y[3] = y[0] * H + x[3]


def keep(u, y, x, p, H):
    """Next states."""
    for n in range(3):
        x[n] = 0.5 * x[n] + p[1] * u[n]
    x[3] += 1.0


MIXER = BlockKind(
    name="Mixer", group="theirs", about="Mixes.", equation="y = …",
    ports=Ports((PortKind("a", "m", (3,)), PortKind("b", "1", (3,)),
                 PortKind("on", "1", (), "boolean")),
                (PortKind("y", "m", (3,)), PortKind("z", "1", (), frame="?g"))),
    parameters=(ParameterKind("k", default=2.0), ParameterKind("gain", default=0.25),
                ParameterKind("word", "text", "none")),
    states=lambda p, s: 4, initial=lambda p, s: (0.0, 0.1, 0.2, 0.3), functions=(mix, keep),
    example=Example({}, {"a": (1.0, 2.0, 3.0), "b": (1.0, 1.0, 2.0), "on": True}),
)  # fmt: skip


def fail(u, y, x, p, H):
    """Writes beyond its end when its input is negative."""
    y[0] = u[0]
    if u[0] < 0.0:
        y[7] = 1.0
    y[1] = 1.0


FAILING = BlockKind(
    name="Failing", group="theirs", about="Fails.", equation="y = …",
    ports=Ports((PortKind("u", "1", ()),), (PortKind("y", "1", ()), PortKind("z", "1", ()))),
    functions=(fail,),
)  # fmt: skip


def opened(u, y, x, p, H):
    """What numba does not know."""
    with open("/nowhere") as stream:
        y[0] = len(stream.read())


UNCOMPILED = replace(FAILING, name="Uncompiled", functions=(opened,))
SHAPELESS = replace(FAILING, name="Shapeless",
                    ports=Ports((PortKind("u"),), (PortKind("y"),)))  # fmt: skip


def few(u, y):
    """Too few arguments."""


WRONG = replace(FAILING, name="Wrong", functions=(few,))
PLAIN = replace(FAILING, name="Plain", functions=None)

CHANGING = replace(
    FAILING, name="Changing", parameters=(ParameterKind("own", "boolean", True),),
    ports=lambda p: Ports((PortKind("u", "1", () if p["own"] else "?s"),),
                          (PortKind("y", "1", ()), PortKind("z", "1", ()))),
)  # fmt: skip
