"""The words of the code: a public class means one thing, and a field's words stand under it."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

# one worker reads the sources once
pytestmark = pytest.mark.xdist_group("sources")

TOP = Path(__file__).parents[1]
FIVE = ("platform6dof", "arm_driver", "drives", "safety", "sim")
TWINS = {
    "DriveType": "what a type of drive has, once as its master and once as the drive sees it",
    "Emergency": "an EMCY message of CiA 301, once received and once sent",
    "GeometryError": "numbers that describe no machine",
    "LineSplitter": "lines of a stream of bytes",
    "Plant": "a body that answers the forces of six motors with motion",
    "PortLock": "the exclusive right to use one device",
    "Pose": "where a frame is in another one",
    "PoseError": "numbers that are no pose",
}
"""Public classes of two packages that may not import each other, and the one thing they mean."""
GONE = {
    "Case", "CheckResult", "Client", "Course", "Errand", "Grip", "Happening", "HeldSource",
    "Keeper", "Made", "OperatorSlot", "ParkWish", "Passage", "Pen", "Place", "Presses", "Room",
    "Said", "Shown", "Standing", "Survey", "Teller", "Way", "WayToPark", "Workshop",
}  # fmt: skip
"""Pictures of our own that a term of the field has replaced."""


KINDS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Definition(NamedTuple):
    """What is kept of a class or function: the trees of all sources take 0.3 GB."""

    file: str
    line: int
    name: str
    is_class: bool
    lists_its_fields: bool


@cache
def definitions():
    """Every class and function of the six packages."""
    found = []
    for folder in (*FIVE, "hil"):
        for path in sorted((TOP / folder).rglob("*.py")):
            file = path.relative_to(TOP).as_posix()
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, KINDS):
                    is_class = isinstance(node, ast.ClassDef)
                    listed = is_class and lists_its_fields(node)
                    found.append(Definition(file, node.lineno, node.name, is_class, listed))
    return found


def places(*folders):
    """Where each public class is defined, by its name."""
    found = defaultdict(list)
    for one in definitions():
        public = one.is_class and not one.name.startswith("_")
        if public and one.file.partition("/")[0] in folders:
            found[one.name].append(one.file)
    return found


def is_value(node):
    """Whether a class is a dataclass or a named tuple: its fields are its arguments."""
    return any("dataclass" in ast.unparse(one) for one in node.decorator_list) or any(
        ast.unparse(base) == "NamedTuple" for base in node.bases
    )


def lists_its_fields(node):
    lines = (ast.get_docstring(node) or "").splitlines()
    return is_value(node) and any(line.strip() in ("Args:", "Attributes:") for line in lines)


def test_a_public_class_of_hil_means_one_thing():
    found = places("hil")
    twice = {name: files for name, files in found.items() if len(files) > 1}
    assert not twice


def test_twins_among_the_packages_mean_the_same_and_lie_in_two_of_them():
    found = places(*FIVE)
    twice = {name: files for name, files in found.items() if len(files) > 1}
    assert set(twice) == set(TWINS), {one: twice.get(one) for one in set(twice) ^ set(TWINS)}
    for name, files in twice.items():
        assert len(files) == 2, (name, files)
        assert len({file.partition("/")[0] for file in files}) == 2, (name, files)


def test_the_words_of_a_field_stand_under_it():
    found = [f"{one.file}:{one.line}: {one.name}" for one in definitions() if one.lists_its_fields]
    assert not found, found


def test_no_picture_of_our_own_names_a_class_or_a_function():
    found = [
        f"{one.file}:{one.line}: {one.name}"
        for one in definitions()
        if one.name.lstrip("_") in GONE
    ]
    assert not found, found


LIST = "\n\n    {}:\n        a: it.\n    "


@pytest.mark.parametrize(
    ("head", "words", "listed"),
    [
        ("@dataclass(frozen=True)\nclass A:", LIST.format("Attributes"), True),
        ("class A(NamedTuple):", LIST.format("Args"), True),
        ("class A:", LIST.format("Args"), False),
        ("@dataclass\nclass A:", LIST.format("Raises"), False),
        ("@dataclass\nclass A:", "", False),
    ],
)
def test_a_list_in_a_docstring_is_seen(head, words, listed):
    (node,) = ast.parse(f'{head}\n    """What it is.{words}"""').body
    assert lists_its_fields(node) is listed
