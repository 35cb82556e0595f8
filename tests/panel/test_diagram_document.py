"""A diagram that is edited: every edit is undone and redone bit by bit, refusals change nothing."""

import shutil
import tempfile
from pathlib import Path

import pytest
from diagram_samples import LEVEL, NESTED, RandomEdits
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine
from properties import dear

from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.diagram.check.diagram import load
from hil.diagram.file.model import DrawnBlock
from hil.diagram.file.read import read, read_text
from hil.diagram.file.write import text_of
from hil.diagram.run.engine import Engine
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.edits import Connect, Delete, Disconnect, PlaceBlock, Rename
from hil.panel.diagram.models.line_edits import SetNote, SetParameter, SetTicks, typed
from hil.panel.diagram.models.place_edits import AlignBlocks, Move

FORCE = (configs_dir() / "diagrams" / "force_joint.toml").read_text()


def opened(folder, text=LEVEL, name="law.toml"):
    path = Path(folder) / name
    path.write_text(text)
    return Document(path)


@pytest.fixture
def document(tmp_path):
    made = opened(tmp_path)
    yield made
    made.close()


class Editing(RuleBasedStateMachine):
    """Any edits in any order."""

    @initialize(text=st.sampled_from([LEVEL, NESTED, FORCE]))
    def begin(self, text):
        self.folder = Path(tempfile.mkdtemp())
        self.document = opened(self.folder, text)
        self.first = text_of(self.document.file)
        self.steps = 0

    @rule(seed=st.integers(0, 2**32))
    def edit(self, seed):
        before = self.document.file, text_of(self.document.file)
        try:
            self.document.do(RandomEdits(self.document.file, seed).edit())
        except RefusedError:
            assert self.document.file is before[0]
            assert text_of(self.document.file) == before[1]

    @rule(times=st.integers(1, 4))
    def undo(self, times):
        for _ in range(times):
            self.document.undo()

    @rule(times=st.integers(1, 4))
    def redo(self, times):
        for _ in range(times):
            self.document.redo()

    @invariant()
    def what_is_shown_can_be_read(self):
        file = self.document.file
        assert read_text(text_of(file), file.path) == file
        assert isinstance(self.document.faults.all, tuple)

    def teardown(self):
        if not hasattr(self, "document"):
            return
        last, steps = text_of(self.document.file), 0
        shutil.copytree(self.folder, self.folder / "killed")  # as a kill would leave it
        undone = len(self.document._history.undone)
        while self.document.undo():
            steps += 1
        assert text_of(self.document.file) == self.first
        for _ in range(steps):
            assert self.document.redo()
        assert text_of(self.document.file) == last
        assert len(self.document._history.undone) == undone
        assert read(self.document.path) == read_text(self.first, self.document.path)  # unsaved
        self.after_a_kill(last, steps)
        self.document.save()
        assert self.document.path.read_text() == last
        self.document.close()
        assert [one.name for one in self.folder.iterdir() if one.is_file()] == ["law.toml"]
        shutil.rmtree(self.folder)

    def after_a_kill(self, last, steps):
        again = Document(self.folder / "killed" / "law.toml")
        if last == self.first:
            assert again.offered is None
        else:
            assert again.recover() == steps
            assert text_of(again.file) == last
            while again.undo():
                steps -= 1
            assert steps == 0
            assert text_of(again.file) == self.first
        again.close(discard=True)


def test_any_edits_are_undone_and_redone_to_the_last_bit():
    run_machine(Editing, settings=settings(dear, stateful_step_count=40))


def test_a_thousand_steps_can_be_taken_back(document):
    first = text_of(document.file)
    for number in range(1000):
        document.do(SetParameter("", "pi", "kp", number + 0.5))
        document.do(Move("", {"pi": (number, -number)}))
    steps = 0
    while document.undo():
        steps += 1
    assert steps == 2000
    assert text_of(document.file) == first


REFUSED = {
    "unit": (("Constant", {"unit": "N", "value": 1.0}), "limit.u", "N into V"),
    "shape": (("Constant", {"unit": "V", "value": (1.0, 2.0)}), "limit.u",
              "a vector of 2 into a scalar"),
    "type": (("ConstantBoolean", {"value": True}), "limit.u", "BooleanToReal"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_wire_that_does_not_fit_is_refused_with_the_reason(document, what):
    (kind, parameters), target, words = REFUSED[what]
    document.do(PlaceBlock("", kind, (0, 0), name="wrong", parameters=parameters))
    document.do(Delete("", frozenset({"pi"})))
    if what == "shape":
        document.do(PlaceBlock("", "In", (0, 0), name="u", parameters={"shape": ()}))
        document.do(PlaceBlock("", "Sum", (0, 0), name="sum"))
        document.do(Connect("", "u.y", "sum.u1"))
        document.do(Connect("", "sum.y", "limit.u"))
        target = "sum.u2"
    before = document.file
    wire = Connect("", "wrong.y", target)
    assert words in document.refusal(wire)
    with pytest.raises(RefusedError, match=words):
        document.do(wire)
    assert document.file is before


def test_axes_are_refused_at_the_wire(document):
    for name in ("wrist", "base"):
        document.do(PlaceBlock("", "In", (0, 0), name=name, parameters={"frame": name}))
    document.do(PlaceBlock("", "Sum", (0, 0), name="sum"))
    document.do(Connect("", "wrist.y", "sum.u1"))
    assert "put a Rotate block between" in document.refusal(Connect("", "base.y", "sum.u2"))


def test_a_second_driver_is_refused_and_the_first_named(document):
    told = document.refusal(Connect("", "level.y", "error.u1"))
    assert "wanted.y drives it already" in told


def test_a_loop_is_refused_with_its_cycle_unless_it_is_delayed(document):
    document.do(PlaceBlock("", "Sum", (0, 0), name="a"))
    document.do(PlaceBlock("", "Gain", (0, 0), name="b", parameters={"k": 0.5}))
    document.do(Connect("", "a.y", "b.u"))
    assert "a -> b -> a" in document.refusal(Connect("", "b.y", "a.u1"))
    document.do(PlaceBlock("", "UnitDelay", (0, 0), name="z"))
    document.do(Connect("", "b.y", "z.u"))
    assert document.refusal(Connect("", "z.y", "a.u1")) == ""


def test_a_wire_between_rates_is_refused(document):
    document.do(PlaceBlock("", "Gain", (0, 0), name="slow", parameters={"k": 1.0}))
    document.do(SetTicks("", "slow", 5, 2))
    assert "every 5 ticks from tick 2" in document.refusal(Connect("", "error.y", "slow.u"))


def test_a_port_that_is_none_is_refused(document):
    document.do(Disconnect("", "valve.u"))
    assert "error has no output 'z'" in document.refusal(Connect("", "error.z", "valve.u"))
    assert "no block 'lmit'; did you mean limit" in document.refusal(
        Connect("", "level.y", "lmit.u")
    )


def test_the_new_wire_is_blamed_and_not_one_that_was_there(document):
    # `a.u` is told before `error.u1` when a file is read: the new wire is the one that is refused.
    document.do(PlaceBlock("", "Gain", (0, 0), name="a", parameters={"k": 1.0, "unit": "N"}))
    document.do(Delete("", frozenset({"wanted"})))
    document.do(Connect("", "a.y", "error.u1"))
    document.do(PlaceBlock("", "Constant", (0, 0), name="b", parameters={"value": 1, "unit": "s"}))
    assert document.refusal(Connect("", "b.y", "a.u")).startswith("a.u = b.y: s into ")


def test_a_wire_within_a_sub_diagram_is_refused_for_what_is_around_it(tmp_path):
    document = opened(tmp_path, NESTED)
    volts = {"value": 1.0, "unit": "V"}
    document.do(PlaceBlock("Law", "Constant", (0, 0), name="v", parameters=volts))
    document.do(PlaceBlock("Law", "Sum", (0, 0), name="sum"))
    document.do(Connect("Law", "gain.y", "sum.u1"))
    assert "V into 1" in document.refusal(Connect("Law", "v.y", "sum.u2"))
    document.close(discard=True)


def test_a_sub_diagram_that_stands_nowhere_is_judged_too(tmp_path):
    document = opened(tmp_path, NESTED)
    document.do(Delete("", frozenset({"law"})))
    assert document.faults.count("Law") == 0
    document.do(PlaceBlock("Law", "Gain", (0, 0), name="bare", parameters={"k": 1.0}))
    told = document.faults.blocks["Law", "bare"]
    assert "nothing is wired to this input" in told[0].words
    assert "within one tick" in _loop_in_law(document)
    document.close(discard=True)


def _loop_in_law(document):
    document.do(PlaceBlock("Law", "Gain", (0, 0), name="second", parameters={"k": 1.0}))
    document.do(Connect("Law", "second.y", "bare.u"))
    return document.refusal(Connect("Law", "bare.y", "second.u"))


def test_faults_stand_at_their_block_and_wire_and_go_with_their_cause(document):
    assert document.faults.all == ()
    document.do(Delete("", frozenset({"wanted"})))
    (fault,) = document.faults.blocks["", "error"]
    assert fault.words == "error.u1: nothing is wired to this input"
    document.do(SetParameter("", "limit", "unit", "N"))
    assert "N into V" in document.faults.wires["", "valve.u"][0].words
    document.undo()
    document.undo()
    assert document.faults.all == ()


SETTINGS = {
    ("pi", "kp", "x"): "a number",
    ("pi", "kp", float("nan")): "finite",
    ("pi", "unit", "V/parsec"): "not understood",
    ("pi", "kpp", 1.0): "did you mean kp",
    ("limit", "high", "$nothing"): "the diagram has no such parameter",
    ("error", "signs", "+x"): "1 to 32 of \\+ and -",
    ("nobody", "k", 1.0): "no block 'nobody'",
}


@pytest.mark.parametrize("place", SETTINGS, ids=str)
def test_a_parameter_is_refused_with_the_reason(document, place):
    before = document.file
    with pytest.raises(RefusedError, match=SETTINGS[place]):
        document.do(SetParameter("", *place))
    assert document.file is before


def test_parameters_of_a_sub_diagram_have_limits(tmp_path):
    table = '[parameter]\n"k" = { value = 1.0, low = 0.0, high = 2.0 }\n'
    document = opened(tmp_path, LEVEL.replace("[parameter]\n", table))
    names = frozenset({"pi", "error"})
    document.do(SetParameter("", "pi", "kp", "$k"))
    document.group("", names, "Law")
    with pytest.raises(RefusedError, match=r"law.k = 3.0: 0.0 to 2.0"):
        document.do(SetParameter("", "law", "k", 3.0))
    with pytest.raises(RefusedError, match="Law has no such one"):
        document.do(SetParameter("", "law", "q", 3.0))


def test_typed_values_take_units_that_measure_the_same():
    from hil.diagram.library.registry import kinds

    delay = kinds()["ResettingIntegral"].parameter("reset_s")
    assert typed(delay, "200 ms") == pytest.approx(0.2)
    assert typed(delay, " 3 ") == 3
    assert typed(delay, "$k") == "$k"
    for wrong in ("3 N", "x", "", "3 parsec"):
        with pytest.raises(RefusedError, match="reset_s"):
            typed(delay, wrong)


def test_rates_and_notes_have_limits(document):
    for rate, offset in ((0, 0), (2, 2), (True, 0), (10**6, 0), (2, -1)):
        with pytest.raises(RefusedError, match="ticks"):
            document.do(SetTicks("", "pi", rate, offset))
    with pytest.raises(RefusedError, match="2001 characters"):
        document.do(SetNote("", "pi", "x" * 2001))


def test_renaming_takes_wires_and_place_along(document):
    document.do(Rename("", "error", "e"))
    top = document.file.top
    assert (top.wires["pi.e"], top.wires["e.u1"]) == ("e.y", "wanted.y")
    assert top.places["e"] == (100, 0)
    assert "error" not in top.places
    with pytest.raises(RefusedError, match="already"):
        document.do(Rename("", "e", "pi"))


def test_renaming_and_deleting_a_port_changes_the_wires_around(tmp_path):
    document = opened(tmp_path, NESTED)
    document.do(Rename("Law", "u", "speed"))
    assert document.file.top.wires["law.speed"] == "in.y"
    assert document.faults.all == ()
    document.do(Delete("Law", frozenset({"y"})))
    assert "hold.u" not in document.file.top.wires
    document.undo()
    assert document.file.top.wires["hold.u"] == "law.y"
    document.close(discard=True)


def test_align_puts_blocks_on_the_line_of_the_outermost(document):
    names = frozenset({"error", "pi", "limit"})
    document.do(AlignBlocks("", names, "right", {"limit": (60, 20), "pi": (200, 20)}))
    assert {name: document.file.top.places[name] for name in names} == {
        "limit": (340, 3), "pi": (200, 0), "error": (400, 0)}  # fmt: skip


def test_what_is_placed_has_a_name_of_its_own_and_can_be_checked(document):
    document.do(PlaceBlock("", "PI", (0, 0)))
    document.do(PlaceBlock("", "PI", (0, 0)))
    assert {"pi_2", "pi_3"} <= document.file.top.blocks.keys()
    with pytest.raises(RefusedError, match="did you mean Gain"):
        document.do(PlaceBlock("", "Gian", (0, 0)))
    with pytest.raises(RefusedError, match="-1000000 to 1000000"):
        document.do(PlaceBlock("", "Gain", (10**7, 0)))


def test_a_sub_diagram_cannot_be_put_within_itself(tmp_path):
    document = opened(tmp_path, NESTED)
    with pytest.raises(RefusedError, match="within itself"):
        document.do(PlaceBlock("Law", "sub", (0, 0), of="Law"))
    document.close()


def test_what_is_saved_is_what_the_engine_runs(document):
    document.do(SetParameter("", "wanted", "value", 0.75))
    document.save()
    assert document.path.read_text() == text_of(document.file)
    engine = Engine(load(document.path))
    engine.set_input("level", 0.25)
    engine.step()
    assert engine.port("error")[0] == 0.5
    assert not document.unsaved
    assert document.file.top.blocks["wanted"] == DrawnBlock(
        "Constant", {"unit": "m", "value": 0.75}
    )


def test_a_file_that_another_program_changed_is_not_overwritten(document):
    document.do(SetParameter("", "pi", "kp", 3.0))
    other = LEVEL.replace("0.5", "0.6")
    document.path.write_text(other)
    with pytest.raises(RefusedError, match="changed by another program"):
        document.save()
    assert document.path.read_text() == other
    document.save(overwrite=True)
    assert document.path.read_text() == text_of(document.file)


def test_saving_elsewhere_leaves_the_first_file(document, tmp_path):
    document.do(SetParameter("", "pi", "kp", 3.0))
    with pytest.raises(RefusedError, match="there already"):
        document.save_as(document.path)
    document.save_as(tmp_path / "other.toml")
    assert (tmp_path / "law.toml").read_text() == LEVEL
    assert read(tmp_path / "other.toml").top == document.file.top
    assert document.undo()
    assert document.unsaved
