"""Blocks grouped and ungrouped, copied and pasted: the law stays what it was, bit by bit."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from diagram_samples import LEVEL, NESTED, RandomEdits
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.diagram.check.diagram import check
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.read import read_text
from hil.diagram.file.write import text_of
from hil.diagram.run.engine import Engine
from hil.panel.diagram.models.clipboard import Paste, copied
from hil.panel.diagram.models.edits import is_face
from hil.panel.diagram.models.group_edits import Group, Ungroup
from hil.panel.diagram.models.judge import faults_of, port_parameters
from hil.panel.diagram.models.palette import Palette

PATH = configs_dir() / "diagrams" / "force_joint.toml"
TEXTS = {"level": LEVEL, "nested": NESTED, "force": PATH.read_text()}


def file_of(text):
    return read_text(text, PATH)


def insides(diagram):
    return sorted(name for name, block in diagram.blocks.items() if not is_face(block))


def outputs(file, ticks=60):
    """Every output at every tick, for the same random inputs."""
    engine, draw = Engine(check(file)), np.random.default_rng(3)
    sizes = {one.path: check(file).types[one.path, "y"].size for one in check(file).flat.inputs()}
    rows = []
    for _ in range(ticks):
        for name, size in sorted(sizes.items()):
            engine.set_input(name, draw.normal(size=size) + 0.1)
        engine.step()
        rows.append({name: engine.output(name).tolist() for name in engine.outputs})
    return rows


@dear
@given(which=st.sampled_from(sorted(TEXTS)), seed=st.integers(0, 2**32))
def test_grouped_and_ungrouped_is_the_same_file(which, seed):
    file, draw = file_of(TEXTS[which]), random.Random(seed)
    where = draw.choice(["", *file.subs])
    names = insides(file.subs[where] if where else file.top)
    some = frozenset(draw.sample(names, draw.randint(1, len(names))))
    grouped = Group(where, some, "Part", port_parameters(file, where)).on(file)
    assert faults_of(grouped) == faults_of(file)
    assert outputs(grouped) == outputs(file)
    again = Ungroup(where, "part").on(grouped)
    assert text_of(again) == text_of(file)


@dear
@given(seed=st.integers(0, 2**32))
def test_ungrouping_any_sub_diagram_keeps_what_is_computed(seed):
    draw = random.Random(seed)
    file = file_of(TEXTS[draw.choice(["nested", "force"])])
    (name,) = (name for name, block in file.top.blocks.items() if block.of)
    assert outputs(Ungroup("", name).on(file)) == outputs(file)


def test_ports_of_a_group_have_the_types_of_the_wires_that_were_cut():
    file = file_of(LEVEL)
    names = frozenset({"pi", "limit"})
    sub = Group("", names, "Law", port_parameters(file, "")).on(file).subs["Law"]
    assert sub.blocks["error"].parameters == {"type": "real", "shape": ()} | {"unit": "m"}
    force = file_of(TEXTS["force"])
    grouped = Group("", frozenset({"ft"}), "Part", port_parameters(force, "")).on(force)
    port = grouped.subs["Part"].blocks["f_d"]
    # The number of joints stays a parameter: no size is written.
    assert port.parameters == {"type": "real", "unit": "N", "frame": "end effector"}
    more = replace(
        grouped,
        top=replace(grouped.top, parameters=dict(grouped.top.parameters)
                    | {"joints": replace(grouped.top.parameters["joints"], value=6)}),
    )  # fmt: skip
    assert faults_of(more).all == ()


def test_ports_and_conditions_are_refused_with_the_reason():
    file = file_of(NESTED)
    with pytest.raises(RefusedError, match="out is a port of this diagram"):
        Group("", frozenset({"a", "out"}), "Part").on(file)
    with pytest.raises(RefusedError, match="already"):
        Group("", frozenset({"a"}), "Law").on(file)
    with pytest.raises(RefusedError, match="nothing is selected"):
        Group("", frozenset(), "Part").on(file)
    enabled = file_of(NESTED.replace('of = "Law", ', 'of = "Law", run = "enabled", '))
    with pytest.raises(RefusedError, match="does not run always"):
        Ungroup("", "law").on(enabled)
    with pytest.raises(RefusedError, match="a is no sub-diagram"):
        Ungroup("", "a").on(file)


def test_a_sub_diagram_of_several_blocks_outlives_the_ungrouping_of_one():
    file = file_of(NESTED)
    block = file.top.blocks["law"]
    both = replace(file, top=replace(file.top, blocks={**file.top.blocks, "other": block}))
    assert "Law" in Ungroup("", "law").on(both).subs
    assert "Law" not in Ungroup("", "law").on(file).subs


@dear
@given(which=st.sampled_from(sorted(TEXTS)))
def test_a_whole_law_pasted_into_an_empty_document_computes_the_same(which):
    file = file_of(TEXTS[which])
    text = copied(file, "", file.top.blocks)
    empty = DiagramFile(Diagram(), base_s=file.base_s, path=Path("new.toml"))
    pasted = Paste("", text, (0, 0)).on(empty)
    assert outputs(pasted) == outputs(file)
    assert min(x for x, _ in pasted.top.places.values()) == 0


def test_a_second_paste_has_names_of_its_own_and_the_same_sub_diagrams():
    file = file_of(NESTED)
    text = copied(file, "", ["law", "in"])
    paste = Paste("", text)
    twice = paste.on(file)
    assert paste.names_in(file) == {"law_2", "in_2"}
    assert twice.top.wires["law_2.u"] == "in_2.y"
    assert twice.subs == file.subs
    assert twice.top.places["law_2"] == (240, 40)
    thrice = paste.on(twice)
    assert {"law_3", "in_3"} <= thrice.top.blocks.keys()


def test_what_differs_under_the_same_name_gets_another():
    file = file_of(NESTED)
    inner = DrawnBlock("sub", of="Law")
    outer = Diagram({"inner": inner})
    source = replace(file, subs={**file.subs, "Outer": outer})
    source = replace(source, top=replace(source.top, blocks={"o": DrawnBlock("sub", of="Outer")},
                                         wires={}, places={}))  # fmt: skip
    text = copied(source, "", ["o"])
    law = file.subs["Law"]
    other = replace(file, subs={"Law": replace(law, note="another"), "Outer": outer})
    pasted = Paste("", text).on(other)
    # `Outer` is the same text, and yet another: the law within it is.
    assert pasted.top.blocks["o"].of == "Outer_2"
    assert pasted.subs["Outer_2"].blocks["inner"].of == "Law_2"
    assert pasted.subs["Law_2"] == law
    assert pasted.subs["Law"].note == "another"


def test_parameters_come_along_and_keep_their_values():
    level, force = file_of(LEVEL), file_of(TEXTS["force"])
    text = copied(level, "", ["limit"])
    assert Paste("", text).on(force).top.parameters["top"] == level.top.parameters["top"]
    lower = replace(level.top.parameters["top"], value=5.0)
    other = replace(level, top=replace(level.top, parameters={"top": lower}))
    pasted = Paste("", text).on(other).top
    assert pasted.blocks["limit_2"].parameters["high"] == "$top_2"
    assert pasted.parameters["top_2"].value == 10.0


BAD = {
    "": "the clipboard has no blocks",
    "hello": "not valid TOML",
    "format = 1": "has no blocks",
    'format = 1\n[block]\n"../x" = { kind = "Gain" }': "make a name",
    "format = 2": "newer than 1",
    "x" * 2_000_000: "characters, at most",
}


@pytest.mark.parametrize("text", BAD, ids=BAD.values())
def test_a_clipboard_without_blocks_is_refused_with_the_reason(text):
    with pytest.raises(RefusedError, match=BAD[text]):
        Paste("", text).on(file_of(LEVEL))


def test_a_sub_diagram_is_not_pasted_within_itself():
    file = file_of(NESTED)
    with pytest.raises(RefusedError, match="within itself"):
        Paste("Law", copied(file, "", ["law"])).on(file)


FOUND = {
    "pid": "PID", "ratetr": "RateTransition", "rt": "RateTransition", "gain": "Gain",
    "unit delay": "UnitDelay", "satur": "Saturation", "law": "Law", "in": "In",
    "anti-windup": "PIDAntiWindup",
}  # fmt: skip


def test_what_is_typed_finds_the_block_that_is_meant():
    palette = Palette(file_of(NESTED))
    names = {one.name for one in palette.offers}
    for typed, wanted in FOUND.items():
        if wanted in names:
            assert palette.search(typed)[0].name == wanted, typed
    assert palette.search("int")[0].name.startswith("Int")  # not `RealToInteger`
    assert palette.search("zzz") == []
    assert palette.search(" ") == list(palette.offers)
    assert palette.search("a" * 10**6) == []
    assert sum(map(len, palette.groups().values())) == len(palette.offers)
    assert all(RandomEdits(file_of(LEVEL), n).edit() for n in range(3))
