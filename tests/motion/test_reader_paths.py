"""The quick readers of tables against the exact one: the same numbers to the bit, the same words.

The judge reads cell by cell with `float` and `Decimal`; the quick ones share neither with it.
"""

import logging
import random
from io import BytesIO

import numpy as np
import pytest
from campaign import count

from hil.config import quick_table, tables
from hil.config.cells import TimeCells
from hil.config.errors import MotionError
from hil.config.quick_table import read_long
from hil.config.table_kernel import read_block
from hil.config.tables import read_table

SEED = 31_055
NASTY = [*",;\t|.:-+eEdDxT_#%/\"' \r\n\0", "\n\n", "nan", "inf", "1e400", "9" * 25, "\u00b0", "\v"]


def number(rng: random.Random) -> str:
    value = rng.choice((rng.gauss(0, 1), rng.gauss(0, 1e-9), rng.gauss(0, 1e9), 0.0, -0.0))
    return rng.choice((
        repr, "{:.4f}".format, "{:.18e}".format, "{:.25f}".format, "{:+.3E}".format,
        lambda v: f"{v:.6e}".replace("e", "D"), lambda v: str(int(v)), "{:.3f}".format,
        lambda v: f" {v:.2f} ", lambda v: f".{abs(int(v))}", lambda v: f"{int(v)}.",
        lambda v: f"{int(v)}e-30", lambda _: "1234567890.1234567e-8", lambda _: "9007199254740993",
    ))(value)  # fmt: skip


def times(rng: random.Random, rows: int) -> list[str]:
    """Times of all rows, in one of the forms that recorders write."""
    step_ns = rng.choice((10_000_000, 1_234_567, 500_000_000, 3_600_000_000_000))
    start_ns = rng.choice((0, 1_700_000_000 * 10**9, 1_709_164_799_250_000_000, 86_399 * 10**9))
    ns = [start_ns + step_ns * k for k in range(rows)]
    kind = rng.choice(("s", "epoch", "ms", "ns", "iso", "iso", "short", "day"))
    zone = rng.choice(("", "Z", "+01:00", "-0330"))
    digits = rng.choice((3, 6, 9))
    if kind == "s":
        return [repr((each - start_ns) / 1e9) for each in ns]
    if kind == "epoch":
        return [f"{each // 10**9}.{each % 10**9:09d}"[: digits - 9 or None] for each in ns]
    if kind in ("ms", "ns"):
        return [str(each // (10**6 if kind == "ms" else 1)) for each in ns]
    texts = [str(np.datetime64(each, "ns")) for each in ns]
    texts = [text[: digits - 9 or None] + zone for text in texts]
    if kind == "short":  # as a program writes whole seconds without a fraction
        texts = [text.replace("." + "0" * digits, "") for text in texts]
    return [text.partition("T")[2] for text in texts] if kind == "day" else texts


def drawn(rng: random.Random) -> tuple[str, list[str]]:
    """Text of a table, sound or with faults, and columns to read, the time first."""
    rows, more = rng.randrange(2, 30), rng.randrange(0, 4)
    separator = rng.choice((",", ",", ";", "\t", "|"))
    names = ["t", *(f"c{k}" for k in range(more))]
    form = [lambda: number(rng)] * more
    if more and rng.random() < 0.3:
        form[-1] = lambda: rng.choice(("", "word", "N/A", "a b", "12", "1.2"))
    cells = [[t, *(one() for one in form)] for t in times(rng, rows)]
    if separator != "," and rng.random() < 0.5:
        cells = [[cell.replace(".", ",") for cell in row] for row in cells]
    wanted = ["t", *rng.sample(names[1:], rng.randrange(0, more + 1))]
    order = rng.sample(range(len(names)), len(names))
    lines = [separator.join(row[k] for k in order) for row in [names, *cells]]
    end = rng.choice(("\n", "\n", "\r\n"))
    text = end.join(lines) + rng.choice(("", end, end, end, end + end))
    for _ in range(rng.choice((0, 0, 0, 1, 1, 3))):
        at = rng.randrange(len(lines[0]) + 1, len(text)) if len(text) > len(lines[0]) + 1 else 0
        text = text[:at] + rng.choice((*NASTY, "")) + text[at + rng.randrange(3) :]
    return text, wanted


def outcome(path, wanted, caplog) -> object:
    """All that a reading gives: numbers to the bit, and words."""
    caplog.clear()
    tables.print_taken.cache_clear()
    try:
        table = read_table(path, wanted, time="t")
    except MotionError as error:
        return str(error)
    values = [table.columns[name].tobytes() for name in wanted]
    return values, table.lines.tobytes(), table.header, table.units, table.clock, caplog.messages


@pytest.mark.campaign
def test_quick_and_exact_readers_agree_on_random_tables_sound_and_faulty(
    tmp_path, monkeypatch, caplog
):
    print(f"seed {SEED}")
    caplog.set_level(logging.WARNING)
    rng, path = random.Random(SEED), tmp_path / "t.csv"
    taken, kinds = {"long": 0, "quick": 0}, set()

    def heard(name, reader):
        def read(*args):
            found = reader(*args)
            taken[name] += found is not None
            return found

        return read

    monkeypatch.setattr(tables, "read_long", heard("long", tables.read_long))
    monkeypatch.setattr(tables, "read_quickly", heard("quick", tables.read_quickly))
    draws = count(10_000, least=400)
    for _ in range(draws):
        text, wanted = drawn(rng)
        path.write_bytes(text.encode())
        monkeypatch.setattr(quick_table, "BLOCK_BYTES", rng.choice((200, 300, 10_000)))
        found = []
        for least in (0, 10**9):
            monkeypatch.setattr(tables, "LONG_BYTES", least)
            found.append(outcome(path, wanted, caplog))
        with monkeypatch.context() as exactly:
            exactly.setattr(tables, "_read_plain", lambda *_: None)
            exact = outcome(path, wanted, caplog)
        kinds.add(exact[4] if isinstance(exact, tuple) else "refused")
        assert found == [exact, exact], text
    print(taken, "of", draws)
    assert kinds == {"refused", "numbers", "long numbers", "stamps"}
    assert taken["long"] > 0.2 * draws


@pytest.mark.parametrize(
    "row", ["1.2;3;5", "1,2,3,4,5,6", "1;2", "#1;2;3", "1\0;2;3", f"1;2;{2000 * 'y'}"]
)
@pytest.mark.parametrize("sign", [",", ""])
def test_the_compiled_reader_leaves_odd_rows_to_the_exact_one(row, sign):
    def read(rows):
        data = BytesIO(("\n".join(rows)).encode())
        return read_long(data, ";", 3, [0, 1], 1e15, sign, TimeCells(), None)

    good = ["1;2;3" if not sign else "1,5;2;3"] * 3
    assert read(good) is not None
    assert read([*good, row, *good]) is None


def test_a_comma_between_columns_and_in_numbers_is_left_to_the_exact_reader():
    assert read_long(BytesIO(b"1,2,3,4\n"), ",", 2, [0, 1], 1e15, ",", TimeCells(), None) is None


def test_what_is_warmed_is_what_a_long_table_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "LONG_BYTES", 1)
    quick_table.warm()
    compiled = list(read_block.signatures)
    file = tmp_path / "long.csv"
    file.write_text("t_s,x_m\n0.0,1.5\n0.1,1.6", encoding="utf-8")
    assert read_table(file, ["t_s", "x_m"], time="t_s").columns["x_m"].tolist() == [1.5, 1.6]
    file.write_text("stamp;x_m\n2026-01-31T12:00:00Z;1,5\n2026-01-31T12:00:01Z;2,5\n")
    assert read_table(file, ["x_m", "stamp"], time="stamp").columns["stamp"].tolist() == [0.0, 1.0]
    assert read_block.signatures == compiled
