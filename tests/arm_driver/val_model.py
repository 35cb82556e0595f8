"""Just enough of VAL II to run the controller's program: a translator into Python generators."""

import re
from fractions import Fraction
from pathlib import Path

import arm_driver

LISTING = Path(arm_driver.__file__).parent / "contour" / "programs" / "contour.v2"
_PROGRAM = re.compile(r"^\.PROGRAM (\w+)$(.*?)^\.END$", re.MULTILINE | re.DOTALL)
_WORDS = {"AND": "and", "OR": "or", "NOT": "not", "TRUE": "True"}


def programs():
    """Statements of each program without comments, by its name."""
    text = LISTING.read_text(encoding="ascii")
    return {
        name: [
            line.strip() for line in body.splitlines() if line.strip() and not line.startswith(";")
        ]
        for name, body in _PROGRAM.findall(text)
    }


def expression(text):
    """An expression in Python; numbers become `N(...)`, so that they have the model's precision."""
    text = text.replace("<>", "!=")
    text = re.sub(r"\b[A-Z]+\b", lambda m: _WORDS.get(m[0], m[0]), text)
    return re.sub(r"(?<![\w.])\d+(\.\d+)?", lambda m: f"N('{m[0]}')", text)


def statement(line):
    """One statement in Python, and by how much the following ones are indented."""
    head, _, rest = line.partition(" ")
    if head == "IF":
        return [f"if {expression(rest.removesuffix(' THEN'))}:"], 1
    if head == "WHILE":
        return [f"while {expression(rest.removesuffix(' DO'))}:", "    yield"], 1
    if head == "WAIT":
        return [f"while not ({expression(rest)}):", "    yield"], 0
    if head == "CALL":
        return [f"yield from PROGRAM('{rest}')"], 0
    if head == "TIMER":
        return [f"SET_TIMER({rest.replace(' = ', ', ')})"], 0
    if head == "DECOMPOSE":
        return ["q = ARRAY(HERE())"], 0
    if head == "TYPE":
        return [f"TYPE([{', '.join(typed(rest))}])"], 0
    if head == "PROMPT":
        return ["s, x, y, z, o, a, t, c = yield from PROMPT()"], 0
    if head == "SET":
        return [expression(rest)], 0
    if head == "SPEED":
        return [f"SPEED({rest.removesuffix(' MMPS')})"], 0
    if head == "MOVES":
        return [f"yield from MOVES({rest})"], 0
    if head == "BREAK":
        return ["yield from BREAK()"], 0
    if head in ("REACTE", "ENABLE"):
        return ["pass"], 0
    assert re.match(r"[a-z]+(\[i\])? = ", line), line
    return [expression(line)], 0


def typed(rest):
    """Arguments of TYPE: formats and texts as strings, values as they are."""
    for word in re.findall(r'"[^"]*"|[^",\s][^",]*', rest):
        yield repr(word) if word.startswith("/") else word


def translate(name, lines):
    """A program as the source of a generator function."""
    body, depth = ["global " + VARIABLES.replace(" ", ", "), "if False:", "    yield"], 0
    for line in lines:
        if line in ("END", "ELSE"):
            depth -= 1
            if line == "ELSE":
                body.append("    " * depth + "else:")
                depth += 1
            continue
        done, deeper = statement(line)
        body += ["    " * depth + part for part in done]
        depth += deeper
    assert depth == 0, f"{name}: IF, WHILE and END do not match"
    return f"def {name}():\n" + "".join(f"    {part}\n" for part in body)


VARIABLES = (
    "mv long seq st rst res ask asks nx ny nz no na nt xl yl zl q i rk rn rm rck dx dy dz spd pnew "
    "s x y z o a t c ck n k v m feedb erhold ercal"
)


class Array(list):
    """An array whose indices are reals, as all numbers of VAL are."""

    def __getitem__(self, index):
        return super().__getitem__(int(index))

    def __setitem__(self, index, value):
        super().__setitem__(int(index), value)


def load(namespace):
    """Run all programs' definitions in a namespace that has the controller's functions."""
    for name, lines in programs().items():
        source = translate(name, lines)
        exec(compile(source, f"{LISTING.name}:{name}", "exec"), namespace)
    namespace["ARRAY"] = Array
    namespace["PROGRAM"] = lambda name: namespace[name]()
    return namespace


class Real:
    """A real of 24 bits: each result is rounded, or cut off, to as many."""

    chop = False
    largest = Fraction(0)

    def __init__(self, value):
        exact = Fraction(value)
        if exact:
            exponent = 0
            while abs(exact) >= Fraction(2) ** (exponent + 1):
                exponent += 1
            while abs(exact) < Fraction(2) ** exponent:
                exponent -= 1
            unit = Fraction(2) ** (exponent - 23)
            exact = (int(exact / unit) if self.chop else round(exact / unit)) * unit
        self.value = exact
        Real.largest = max(Real.largest, abs(exact))

    def __add__(self, other):
        return Real(self.value + other.value)

    def __sub__(self, other):
        return Real(self.value - other.value)

    def __mul__(self, other):
        return Real(self.value * other.value)

    def __truediv__(self, other):
        return Real(self.value / other.value)

    def __neg__(self):
        return Real(-self.value)

    def __abs__(self):
        return Real(abs(self.value))

    def __lt__(self, other):
        return self.value < other.value

    def __int__(self):
        return int(self.value)
