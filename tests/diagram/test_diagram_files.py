"""Files of diagrams: there and back, and what is refused with its place and the remedy."""

import pytest
from campaign import count
from random_diagrams import drawn_file

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import load
from hil.diagram.file.read import read
from hil.diagram.file.write import save, text_of

HEAD = "format = 1\nbase_s = 0.002\n"
PLAIN = """[block]
c = { kind = "Constant", value = 1.0, unit = "N" }
g = { kind = "Gain", k = 2.0 }
o = { kind = "Out" }
[wire]
"g.u" = "c.y"
"o.u" = "g.y"
"""


def written(tmp_path, text, name="d.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(tmp_path, text, changes=None):
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, text), changes)
    return caught.value


@pytest.mark.campaign
def test_file_to_model_to_file_is_the_identity(tmp_path):
    for seed in range(count(10_000, 50)):
        file, path = drawn_file(seed), tmp_path / "d.toml"
        save(file, path)
        text = path.read_text(encoding="utf-8")
        again = read(path)
        assert text_of(again) == text, seed
        assert (again.top, again.subs, again.base_s, again.seed) == (
            file.top, file.subs, file.base_s, file.seed), seed  # fmt: skip


def test_a_block_that_is_moved_changes_its_place_alone(tmp_path):
    path = written(tmp_path, HEAD + PLAIN + "[place]\nc = [10, 20]\n")
    before = text_of(read(path)).splitlines()
    path.write_text(HEAD + PLAIN + "[place]\nc = [10, 21]\n")
    after = text_of(read(path)).splitlines()
    assert [one for one in zip(before, after, strict=True) if one[0] != one[1]] == [
        ('"c" = [10, 20]', '"c" = [10, 21]')
    ]


TWO_RATES = (HEAD + PLAIN).replace('"Constant", value = 1.0, unit = "N"', '"Clock"').replace(
    "k = 2.0", "rate = 2")  # fmt: skip


def test_the_order_of_lines_in_a_file_does_not_matter(tmp_path):
    head, blocks, wires = (HEAD + PLAIN).replace("[wire]", "[block]").split("[block]\n")
    turned = ["\n".join(part.splitlines()[::-1]) for part in (blocks, wires)]
    shuffled = f"{head}[wire]\n{turned[1]}\n[block]\n{turned[0]}\n"
    one = text_of(read(written(tmp_path, HEAD + PLAIN)))
    assert text_of(read(written(tmp_path, shuffled))) == one


def changed(old, new):
    assert old in PLAIN
    return HEAD + PLAIN.replace(old, new)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("base_s = 1.0\n", ["format = None", "1 is needed"]),
        ("format = 2\n", ["line 1: format = 2", "newer than 1"]),
        (changed('"Gain"', '"Gian"'), ["line 5: g: kind = 'Gian': no such", "did you mean Gain"]),
        (changed("k = 2.0", "kk = 2.0"), ["g: kk: Gain has no such parameter", "it has k, unit"]),
        (changed("k = 2.0", 'k = "two"'), ["g: k = 'two': a number is needed"]),
        (changed("k = 2.0", "k = true"), ["g: k = True: a number is needed"]),
        (changed("k = 2.0", "k = nan"), ["g: k = nan: a finite number is needed"]),
        (changed("k = 2.0", "k = inf"), ["g: k = inf: a finite number is needed"]),
        (changed("k = 2.0", "k = [1, 2]"), ["line 8: g.u = c.y: a scalar into a vector of 2"]),
        (changed("k = 2.0", "k = [[[[1]]]]"), ["g: k = ((((1,),),),): a number is needed"]),
        (changed("k = 2.0", 'k = "$gain"'), ["g: k = '$gain': the diagram has no such parameter"]),
        (changed('unit = "N"', 'unit = "Nm"'), ["c: unit = 'Nm'", "'Nm' is not understood"]),
        (changed('unit = "N"', 'unit = "N^99"'), ["c: unit = 'N^99'"]),
        (changed('"Gain", k = 2.0', '"Saturation", low = 2.0, high = 1.0'),
         ["g: low = 2 is above high = 1"]),
        (changed('"Gain", k = 2.0', '"Lag", time_s = 0.0'),
         ["g: time_s = 0.0: a number [s] above 0", "1e+06"]),
        (changed('"g.u" = "c.y"\n', ""), ["line 5: g.u: nothing is wired to this input"]),
        (changed('"g.u" = "c.y"', '"g.uu" = "c.y"'),
         ["line 8: g.uu = c.y: g has no input 'uu'", "it has u"]),
        (changed('"g.u" = "c.y"', '"g.u" = "d.y"'), ["line 8: g.u = d.y: no block 'd'"]),
        (changed('"g.u" = "c.y"', '"g.u" = "c"'), ["a port is block.port"]),
        (changed('"g.u" = "c.y"', '"g.u" = 7'), ["line 8: 'g.u' = 7: a source block.port"]),
        (changed("c = {", '"a/b" = {'), ["block 'a/b': a letter, then at most 63 letters"]),
        (changed("c = {", '"' + "x" * 1_000_000 + '" = {'), ["a letter, then at most 63"]),
        (changed("k = 2.0", 'note = "' + "x" * 900_000 + '"'), ["at most 2000 characters"]),
        (changed("k = 2.0", "rate = 0"), ["line 5: g.rate = 0: a whole number from 1"]),
        (changed("k = 2.0", "rate = 2, offset = 2"), ["offset = 2: a whole number from 0 to 1"]),
        (TWO_RATES, ["every tick", "every 2 ticks; put a RateTransition"]),
        (changed("k = 2.0", 'run = "enabled"'), ["are for kind = 'sub'"]),
        (changed("k = 2.0", 'run = "often"'), ["line 5: g.run = 'often': always or enabled"]),
        (changed('"Gain", k = 2.0', '"sub", of = "Law"'), ["g: of = 'Law': no such sub-diagram"]),
        (HEAD + PLAIN + "[place]\nq = [1, 2]\n", ["place of 'q': no such block"]),
        (HEAD + PLAIN + "[place]\nc = [1, 2.5]\n", ["place of c = [1, 2.5]: [x, y] in whole"]),
        (HEAD + PLAIN + "[parameter]\nk = { value = 1, unit = 7 }\n", ["line 11: k.unit: ''"]),
        (HEAD + PLAIN + '[parameter]\nk = { value = 1, unit = "Nm" }\n', ["line 11: k.unit: 'Nm'"]),
        (HEAD + "wires = 1\n" + PLAIN, ["wires: unknown key; did you mean wire"]),
        (HEAD + 'library = ["nowhere"]\n' + PLAIN, ["library = 'nowhere': no such file"]),
        (HEAD.replace("0.002", "0.0") + PLAIN, ["base_s = 0.0: a number from 1e-05 to 10 s"]),
        (HEAD + PLAIN + '"__import__(1)" = "c.y"\n', ["no block"]),
        (HEAD + PLAIN + "[[", ["is not valid TOML"]),
    ],
)  # fmt: skip
def test_a_fault_of_a_file_is_told_with_its_place_and_what_would_be_right(tmp_path, text, words):
    error = refusal(tmp_path, text)
    assert str(tmp_path / "d.toml") in str(error)
    for one in words:
        assert one in str(error), str(error)[:2000]
    assert len(str(error)) < 2000


def test_a_hundred_thousand_blocks_are_refused_at_once(tmp_path):
    lines = "".join(f'b{n} = {{ kind = "Clock" }}\n' for n in range(100_000))
    assert "at most" in str(refusal(tmp_path, f"{HEAD}[block]\n{lines}"))
    lines = "".join(f'b{n} = {{ kind = "Clock" }}\n' for n in range(21_000))
    assert "more than 20000 blocks" in str(refusal(tmp_path, f"{HEAD}[block]\n{lines}"))


def nested(depth, each):
    """Sub-diagrams of which each has several of the next."""
    text = HEAD + '[block]\nb = { kind = "sub", of = "S0" }\n'
    for level in range(depth):
        text += f"[sub.S{level}.block]\n"
        for n in range(each):
            text += f'b{n} = {{ kind = "sub", of = "S{level + 1}" }}\n'
    return text + f'[sub.S{depth}.block]\nb = {{ kind = "Clock" }}\n'


def test_sub_diagrams_that_multiply_are_refused_before_they_are_made(tmp_path):
    assert "more than 20000 blocks" in str(refusal(tmp_path, nested(12, 8)))


def test_sub_diagrams_that_are_empty_multiply_no_less(tmp_path):
    text = nested(15, 8).replace('b = { kind = "Clock" }\n', "")
    assert "more than 20000 blocks" in str(refusal(tmp_path, text))


def test_a_sub_diagram_within_itself_is_refused(tmp_path):
    text = (
        HEAD + '[block]\nb = { kind = "sub", of = "A" }\n[sub.A.block]\n'
        'b = { kind = "sub", of = "B" }\n[sub.B.block]\nb = { kind = "sub", of = "A" }\n'
    )
    assert "a sub-diagram within itself" in str(refusal(tmp_path, text))
    assert "A in B in A" in str(refusal(tmp_path, text))


SUB = HEAD + '[sub.Half.block]\nu = { kind = "In" }\ng = { kind = "Gain", k = "$k" }\n' \
    'y = { kind = "Out" }\n[sub.Half.wire]\n"g.u" = "u.y"\n"y.u" = "g.y"\n' \
    "[sub.Half.parameter]\nk = { value = 0.5, low = 0.0, high = 1.0 }\n"  # fmt: skip
USE = '[block]\nc = { kind = "Constant", value = 8.0 }\na = { kind = "sub", of = "Half" }\n' \
    'b = { kind = "sub", of = "Half", k = 0.25 }\no = { kind = "Out" }\n' \
    '[wire]\n"a.u" = "c.y"\n"b.u" = "a.y"\n"o.u" = "b.y"\n'  # fmt: skip


def result(path, changes=None):
    from hil.diagram.run.engine import Engine

    engine = Engine(load(path, changes))
    engine.step()
    return engine.output("o")[0]


def test_sub_diagrams_come_from_libraries_with_parameters_of_their_own(tmp_path):
    (tmp_path / "lib").mkdir()
    written(tmp_path, SUB, "lib/halves.toml")
    written(tmp_path, HEAD + 'library = ["halves.toml"]\n', "lib/again.toml")  # names each other
    path = written(tmp_path, HEAD + 'library = ["lib"]\n' + USE)
    assert result(path) == 1.0
    assert result(path, {("a", "k"): 1.0}) == 2.0
    assert result(path, {("a/g", "k"): 3.0}) == 6.0
    text = str(refusal(tmp_path, HEAD + 'library = ["lib"]\n' + USE, {("a", "k"): 2.0}))
    assert "a.k = 2.0: 0.0 to 1.0 1 is needed" in text
    text = str(refusal(tmp_path, HEAD + 'library = ["lib"]\n' + USE, {("a/h", "k"): 2.0}))
    assert "a/h.k: no such parameter to set; did you mean a/g" in text
    text = str(refusal(tmp_path, HEAD + 'library = ["lib"]\n' + USE.replace("k = 0.25", "kk = 1")))
    assert "b.kk: no such parameter of it; did you mean k" in text


def test_nothing_of_a_diagram_is_program_text():
    from pathlib import Path

    import hil.diagram

    for path in Path(hil.diagram.__file__).parent.rglob("*.py"):
        text = path.read_text()
        assert not [word for word in ("exec(", "eval(", "pickle") if word in text], path


def test_diagrams_load_without_windows_and_engines():
    import subprocess
    import sys

    code = (
        "import sys\n"
        "import hil.diagram.run.engine, hil.diagram.kernel\n"
        "from hil.diagram.library.registry import kinds\nkinds()\n"
        "print([one for one in ('PySide6', 'OpenGL', 'mujoco', 'pyqtgraph') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_example_of_the_document_gives_what_it_says(tmp_path):
    from pathlib import Path

    from hil.diagram.run.engine import Engine

    text = (Path(__file__).parents[2] / "docs/diagrams.md").read_text(encoding="utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    path = written(tmp_path, example)
    engine = Engine(load(path))
    engine.set_input("level", 0.2)
    engine.step()
    assert engine.output("valve")[0] == pytest.approx(0.6)
