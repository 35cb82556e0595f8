"""No pattern of a text takes a time that grows much faster than the text: strangers write those.

Judged are the patterns as they are compiled, whatever they are put together from: those that the
modules hold once they are imported, and the others where a function makes them. A text that a
pattern takes is made of it, and lengthened at each of its places by what repeats; time is that of
the processor.
"""

import ast
import gc
import importlib
import re
import re._constants as op
import re._parser as parser
import signal
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from hil.config.toml_edit import change_text
from hil.hosts.wires.pose_template import _parts

ROOT = Path(__file__).parents[1]
FOLDERS = ("hil", "sim", "drives", "arm_driver", "safety", "platform6dof", "hil_common")
PUMPED = ("1", "1.", "a", "a.", " ", "a ", '"', "'", "-", "1e", "(", "./", "0.", "\\", "\n", "[",
          "=", "#", ", ", "_", "a_", "a1", "a=")  # fmt: skip
INNER = ("1", "a", " ", "=", ".", "-", "a ")
"""Put inside a text that is taken."""
TIMES = 60
"""Repeats, after which 2**60 steps would be needed."""
LONG = 10_000
"""Repeats for whose square `PATIENCE_S` is too short."""
PATIENCE_S = 0.08
CALLS = frozenset({"search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"})
MADE = {
    "drives/types/eds_text.py": "a constant of the module",
    "hil/config/toml_edit.py": "judged below, by what it changes",
    "hil/hosts/wires/generic_protocol.py": "judged in tests/hosts/test_flightgear_wire.py",
    "hil/hosts/wires/pose_template.py": "judged below, of a template with all axes",
    "hil/ipc/child.py": "one of two constants",
    "hil/stations/simulator/cue/axes_finder.py": "one of constants of the module",
    "hil/stations/simulator/plan/fmu_settings.py": "a constant of the module",
    "sim/world/meshes/obj_rows.py": "possessive, of a form of its own: judged in test_obj_rows.py",
    "sim/toml_reader.py": "one of constants of the module, on 200 characters",
}
"""Modules whose functions make patterns of parts."""
INSTALLED = {"hil/fmu/stubs.py": "reads a header of an installed library"}
"""Modules whose patterns see no text of others."""


@cache
def sources():
    """Path and tree of each module that uses `re`."""
    return tuple(_sources())


def _sources():
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if "import re\n" not in text:
                continue
            tree = ast.parse(text)
            imports = [one for one in ast.walk(tree) if isinstance(one, ast.Import)]
            if any(name.name == "re" for one in imports for name in one.names):
                yield str(file.relative_to(ROOT)), tree


def is_of_re(node):
    """Whether a call gives a pattern to `re`."""
    function = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in CALLS | {"compile"}
    )


def in_functions(tree):
    """Calls of `re` that are made only once a function runs."""
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.Lambda)]
    return {one for function in functions for one in ast.walk(function) if is_of_re(one)}


def held(value, depth=3):
    """Patterns in a value of a module, with the names that lead to them."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict | list | tuple | set | frozenset):
        inner = chain(value, value.values()) if isinstance(value, dict) else value
        for one in inner:
            yield from held(one, depth - 1)
    elif depth and isinstance(value, type) and value.__module__.startswith(FOLDERS):
        for one in vars(value).values():
            yield from held(one, depth - 1)


def used_by(tree, name):
    """Methods by which a module uses a pattern of a name; both whole ones if that is not seen."""
    found = {
        one.attr for one in ast.walk(tree)
        if isinstance(one, ast.Attribute) and one.attr in CALLS
        and isinstance(one.value, ast.Name) and one.value.id == name
    }  # fmt: skip
    return found or {"match", "fullmatch"}


def patterns():
    """Place, pattern and the methods by which it is used."""
    for path, tree in sources():
        name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
        module = importlib.import_module(name)
        for key, value in list(vars(module).items()):
            for pattern in held(value):
                yield f"{path}: {key}", pattern, used_by(tree, key)
        for call in in_functions(tree):
            if isinstance(call.args[0], ast.Constant):
                method = {call.func.attr} - {"compile"} or {"match", "fullmatch"}
                yield f"{path}:{call.lineno}", re.compile(call.args[0].value), method


def sample(nodes):
    """A text that a parsed pattern takes, as long as each of its parts makes it."""
    return "".join(piece(*node) for node in nodes)


def piece(kind, value):
    """What one part of a pattern takes."""
    match kind:
        case op.LITERAL:
            return chr(value)
        case op.NOT_LITERAL:
            return "a" if value != ord("a") else "b"
        case op.ANY:
            return "a"
        case op.IN:
            return member(value)
        case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
            least, most, inner = value
            return sample(inner) * (max(least, 1) if most else 0)
        case op.SUBPATTERN:
            return sample(value[3])
        case op.ATOMIC_GROUP:
            return sample(value)
        case op.BRANCH:
            return sample(value[1][0])
        case _:
            return ""


def member(items):
    """A character of a set."""
    tried = [chr(code) for code in (*range(0x61, 0x7B), *range(0x20, 0x7F), 9, 10)]
    parsed = parser.SubPattern(parser.State(), [(op.IN, items)])
    one = re._compiler.compile(parsed) if hasattr(re, "_compiler") else re.compile(".")
    return next((text for text in tried if one.fullmatch(text)), "a")


def attacks(pattern):
    """Texts that lengthen what a pattern takes."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin1")
    taken = sample(parser.parse(text, pattern.flags & ~re.UNICODE & ~re.DEBUG))[:40]
    for pumped in PUMPED:
        yield from (pumped * TIMES + tail for tail in ("", "\0"))
    for place in range(len(taken) + 1):
        for pumped in INNER:
            yield taken[:place] + pumped * LONG + "\0"
            yield taken[:place] + pumped * LONG + taken[place:] + "\0"


def too_slow(pattern, methods=("search", "fullmatch")):
    """What a pattern takes too long for; empty if nothing."""
    for text in attacks(pattern):
        given = text.encode("latin1") if isinstance(pattern.pattern, bytes) else text
        if any(lasts(pattern, method, given) for method in methods):
            return repr(text[:50])
    return ""


def lasts(pattern, method, given):
    """Whether a pattern takes too long for a text, each of three times."""
    for _ in range(3):
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
        try:
            if method == "finditer":
                list(pattern.finditer(given))
            elif method in ("sub", "subn"):
                pattern.sub(given[:0], given)
            else:
                getattr(pattern, method)(given)
        except TimeoutError:
            continue
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        return False
    return True


@pytest.fixture(autouse=True)
def patience():
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timer of processor time")

    def ring(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, ring)
    gc.disable()  # what it calls would get the error instead
    yield
    gc.enable()
    signal.signal(signal.SIGVTALRM, before)


def test_no_pattern_takes_long_for_a_long_text():
    all_of_them = {(one[1], *sorted(one[2])): one for one in patterns()}
    assert len(all_of_them) > 60
    slow = [
        (place, pattern.pattern, given)
        for place, pattern, methods in all_of_them.values()
        if place.partition(":")[0] not in INSTALLED and (given := too_slow(pattern, methods))
    ]
    assert slow == []


def test_each_pattern_of_a_module_is_judged():
    """Whatever holds it: a constant that is nowhere among those that are judged is not."""
    judged = {pattern.pattern for _, pattern, _ in patterns()}
    for path, tree in sources():
        for call in {one for one in ast.walk(tree) if is_of_re(one)} - in_functions(tree):
            text = call.args[0]
            assert not isinstance(text, ast.Constant) or text.value in judged, (path, call.lineno)


def test_each_pattern_that_a_function_makes_of_parts_is_known():
    made = {
        path for path, tree in sources() for call in in_functions(tree)
        if not isinstance(call.args[0], ast.Constant)
    }  # fmt: skip
    assert made == set(MADE)


def test_a_template_of_a_host_takes_no_long_time():
    text = ",".join(f"<Axis{number}a>" for number in range(1, 7))
    for binary in (False, True):
        assert not too_slow(_parts(text, binary, 16)[0], ("fullmatch",))


@pytest.mark.parametrize("line", ["b = 1{}", "b{} = 1", "{}b = 1", "b = {}1 # {}", "b = 1 {}#"])
def test_a_value_is_changed_in_a_long_line(line):
    text = "[a]\n" + line.format(" " * 10_000, "#" * 10_000) + "\n"
    signal.setitimer(signal.ITIMER_VIRTUAL, 10 * PATIENCE_S)
    try:
        changed = change_text(text, {"a": {"b": 2}}, "here")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    assert changed.split("=")[1].split("#")[0].strip() == "2"
    assert changed.count("#") == text.count("#")


@pytest.mark.parametrize(
    "text", [r"[a-z](?:_?[a-z0-9]+)*", r"x:\s*\s*y", r"\s*([0-9]+)\s+([0-9]*\.?[0-9]+)\s+N"]
)
def test_one_that_does_is_found(text):
    assert too_slow(re.compile(text), ("fullmatch",))
