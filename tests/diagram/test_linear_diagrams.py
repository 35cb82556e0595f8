"""`hil diagram linear`, judged by scipy.signal and by closed forms."""

import json
import math

import numpy as np
import pytest
from scipy import signal
from scipy.optimize import brentq
from typer.testing import CliRunner

from hil.cli.main import app
from hil.diagram.analysis.margins import grid, margins

H = 0.01
HEAD = f"format = 1\nbase_s = {H}\n"


def linear(tmp_path, text, *arguments, status=0):
    path = tmp_path / "law.toml"
    path.write_text(HEAD + text)
    done = CliRunner().invoke(app, ["diagram", "linear", str(path), *map(str, arguments), "--json"])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


def poles_of(told, key="poles"):
    return np.sort_complex(np.array([complex(one["re"], one["im"]) for one in told[key]]))


def chain(block):
    """A block between an input and an output."""
    return f"""[block]
u = {{ kind = "In", unit = "1" }}
b = {{ {block} }}
y = {{ kind = "Out" }}
[wire]
"b.u" = "u.y"
"y.u" = "b.y"
"""


@pytest.mark.parametrize("method", ["zoh", "bilinear"])
def test_poles_and_gains_of_a_transfer_function_are_those_of_scipy(tmp_path, method):
    above, below = [3.0, 20.0], [1.0, 4.0, 400.0, 0.7]
    kind = f'kind = "TransferFunction", numerator = {above}, denominator = {below}'
    told = linear(tmp_path, chain(f'{kind}, method = "{method}"'), "--from", "u", "--to", "y")
    wanted = signal.cont2discrete(signal.tf2ss(above, below), H, method)
    np.testing.assert_allclose(poles_of(told), np.sort_complex(np.linalg.eigvals(wanted[0])),
                               rtol=0.0, atol=1e-6)  # fmt: skip
    found = [np.array(told[one]) for one in "ABCD"]
    for z in np.exp(1j * np.geomspace(1e-3, math.pi, 100)):
        mine, its = ((c @ np.linalg.solve(z * np.eye(3) - a, b) + d).item()
                     for a, b, c, d in (found, wanted[:4]))  # fmt: skip
        assert abs(mine - its) < 1e-7 * abs(its)
    assert told["stable"]
    if method == "bilinear":
        return  # it bends frequencies
    fastest = max(told["poles"], key=lambda one: abs(one["im"]))
    assert fastest["hz"] == pytest.approx(20.0 / (2.0 * math.pi), rel=1e-3)
    assert fastest["damping"] == pytest.approx(0.1, abs=1e-3)


def test_a_state_space_is_found_again_with_its_feed_through(tmp_path):
    a = [[0.9, 0.2], [-0.1, 0.8]]
    block = f'kind = "StateSpace", A = {a}, B = [[1.0], [0.5]], C = [[2.0, -1.0]], D = [[0.25]]'
    told = linear(tmp_path, chain(block).replace("b.u", "b.u1").replace("b.y", "b.y1"),
                  "--from", "u", "--to", "y")  # fmt: skip
    np.testing.assert_allclose(told["A"], a, atol=1e-12)
    assert told["D"] == [[0.25]]
    assert told["states"] == ["b 1", "b 2"]


def test_a_delay_has_all_its_poles_at_zero_wherever_its_ring_stands(tmp_path):
    for at_s in (0.01, 0.02, 0.05):
        told = linear(tmp_path, chain('kind = "Delay", ticks = 3'), "--from", "u", "--to", "y",
                      "--at", at_s)  # fmt: skip
        transfer = signal.ss2tf(*(np.array(told[one]) for one in "ABCD"))
        np.testing.assert_allclose(transfer[0], [[0.0, 0.0, 0.0, 1.0]], atol=1e-12)
        np.testing.assert_allclose(transfer[1], [1.0, 0.0, 0.0, 0.0], atol=1e-12)


LOOP = """[block]
r = { kind = "In", unit = "1" }
error = { kind = "Sum", signs = "+-" }
pi = { kind = "PI", kp = 2.0, ki = 3.0 }
plant = { kind = "TransferFunction", numerator = [5.0], denominator = [0.02, 0.3, 1.0] }
y = { kind = "Out" }
[wire]
"error.u1" = "r.y"
"error.u2" = "plant.y"
"pi.e" = "error.y"
"plant.u" = "pi.y"
"y.u" = "plant.y"
"""
PLANT = signal.cont2discrete(signal.tf2ss([5.0], [0.02, 0.3, 1.0]), H, "zoh")


def loop_at(w):
    """PI by the trapezoid rule times the plant, in closed form."""
    z = np.exp(1j * w)
    a, b, c, d, _ = PLANT
    plant = (c @ np.linalg.solve(z * np.eye(2) - a, b) + d).item()
    return (2.0 + 3.0 * H / 2.0 * (z + 1.0) / (z - 1.0)) * plant


@pytest.mark.parametrize("cut", ["plant.u", "error.u2", "pi.e"])
def test_margins_and_closed_poles_of_a_loop_are_those_of_its_closed_form(tmp_path, cut):
    told = linear(tmp_path, LOOP, "--loop", cut, "--at", "0.5", "--input", "r=0.3")
    w_gain = brentq(lambda w: abs(loop_at(w)) - 1.0, 1e-3, 1.0)
    w_phase = brentq(lambda w: loop_at(w).imag, 0.1, 2.0)
    gain, phase = told["gain_margin_db"], told["phase_margin_deg"]
    assert gain["value"] == pytest.approx(-20.0 * math.log10(abs(loop_at(w_phase))), abs=0.1)
    assert gain["hz"] == pytest.approx(w_phase / (2.0 * math.pi * H), rel=1e-4)
    turned = math.degrees(np.angle(loop_at(w_gain)))
    assert phase["value"] == pytest.approx(180.0 + turned, abs=0.1)
    assert phase["hz"] == pytest.approx(w_gain / (2.0 * math.pi * H), rel=1e-4)
    z = np.poly1d([1.0, 0.0])
    numerator, denominator = (np.poly1d(np.ravel(one)) for one in signal.ss2tf(*PLANT[:4]))
    controller = 2.0 * (z - 1.0) + 1.5 * H * (z + 1.0)
    wanted = (controller * numerator + (z - 1.0) * denominator).roots
    closed = poles_of(told, "closed_poles")
    closed = closed[np.abs(closed) > 1e-3]  # the trapezoid rule keeps its last input: a pole at 0
    np.testing.assert_allclose(closed, np.sort_complex(wanted), atol=1e-6)
    whole = linear(tmp_path, LOOP, "--from", "r", "--to", "y", "--at", "0.5", "--input", "r=0.3")
    whole = poles_of(whole)
    np.testing.assert_allclose(whole[np.abs(whole) > 1e-3], np.sort_complex(wanted), atol=1e-6)
    assert told["closed_stable"]


def test_a_loop_with_too_much_gain_is_told_not_stable_by_its_own_margin(tmp_path):
    margin = linear(tmp_path, LOOP, "--loop", "plant.u")["gain_margin_db"]["value"]
    for more, stable in ((0.99, True), (1.01, False)):
        factor = more * 10.0 ** (margin / 20.0)
        text = LOOP.replace("[5.0]", f"[{5.0 * factor!r}]")
        told = linear(tmp_path, text, "--loop", "plant.u")
        assert told["closed_stable"] is stable
        assert (told["gain_margin_db"]["value"] > 0.0) is stable


FALLING = """[block]
r = { kind = "In", unit = "1" }
error = { kind = "Sum", signs = "+-" }
law = { kind = "Gain", k = 3.0 }
late = { kind = "Delay", ticks = 1, initial = 0.0 }
plant = { kind = "TransferFunction", numerator = [1.0], denominator = [1.0, -1.0], method = "zoh" }
y = { kind = "Out" }
[wire]
"error.u1" = "r.y"
"error.u2" = "plant.y"
"law.u" = "error.y"
"late.u" = "law.y"
"plant.u" = "late.y"
"y.u" = "plant.y"
"""


@pytest.mark.parametrize("gain", [1.05, 1.5, 3.0, 10.0, 30.0])
def test_a_plant_that_falls_alone_needs_some_gain_and_the_margin_says_so(tmp_path, gain):
    """Of gain / (s - 1): at rest it comes to -gain, and is nearest to -1 there (Nyquist)."""
    text = FALLING.replace("k = 3.0", f"k = {gain}")
    told = linear(tmp_path, text, "--loop", "plant.u")
    less = -20.0 * math.log10(gain)
    # The other way: with b = exp(H) - 1, closed poles are those of z² - exp(H) z + gain b.
    more = -20.0 * math.log10(gain * math.expm1(H))
    nearest = min((less, 0.0), (more, 0.5), key=lambda one: abs(one[0]))
    assert told["gain_margin_db"]["value"] == pytest.approx(nearest[0], abs=0.05)
    assert (told["gain_margin_db"]["hz"] == 0.0) is (nearest[1] == 0.0)
    assert told["closed_stable"]


def test_slopes_are_those_of_the_running_point(tmp_path):
    text = chain('kind = "Sine"').replace('"Sine"', '"Sin"')
    for u in (0.0, 0.4, 1.3):
        told = linear(tmp_path, text, "--from", "u", "--to", "y", "--input", f"u={u}")
        assert told["D"][0][0] == pytest.approx(math.cos(u), abs=1e-11)
        assert told["notes"] == []


@pytest.mark.parametrize(
    ("block", "u", "slope", "words"),
    [
        ('kind = "Saturation"', 2.0, 0.0, "b (Saturation) passes nothing on there"),
        ('kind = "Saturation"', 1.0, 0.5, "b (Saturation) has a kink there"),
        ('kind = "Sign"', 1.0, 0.0, "b (Sign) passes nothing on there"),
        ('kind = "Abs"', 0.0, 0.0, "b (Abs) has a kink there"),
        ('kind = "Saturation"', 0.5, 1.0, ""),
        ('kind = "Abs"', 0.5, 1.0, ""),
    ],
)
def test_a_block_that_is_not_smooth_there_is_noted(tmp_path, block, u, slope, words):
    told = linear(tmp_path, chain(block), "--from", "u", "--to", "y", "--input", f"u={u}")
    assert told["D"][0][0] == pytest.approx(slope, abs=1e-9)
    assert [one[: len(words)] for one in told["notes"]] == ([words] if words else [])


def test_what_nothing_moves_and_what_is_bent_before_is_not_noted(tmp_path):
    """Of two blocks beside a bend, the one gets nothing of it and the other gets it bent."""
    text = (
        chain('kind = "Abs"')
        .replace(
            '"b.u" = "u.y"',
            """"b.u" = "g.y"
"g.u" = "u.y"
"after.u" = "b.y"
"twice.u" = "still.y\"""",
        )
        .replace(
            "u = {",
            """g = { kind = "Gain", k = 3.0 }
after = { kind = "Gain", k = 2.0 }
still = { kind = "Constant", value = 4.0 }
twice = { kind = "Gain", k = 2.0 }
u = {""",
        )
    )
    told = linear(tmp_path, text, "--from", "u", "--to", "y", "--input", "u=0")
    assert told["notes"] == ["b (Abs) has a kink there: the mean of both slopes is taken"]


def test_an_output_inside_is_one_of_a_linear_system(tmp_path):
    text = (
        chain('kind = "Gain", k = 3.0')
        .replace(
            '"b.u" = "u.y"',
            """"b.u" = "half.y"
"half.u" = "u.y\"""",
        )
        .replace(
            "u = {",
            """half = { kind = "Gain", k = 0.5 }
u = {""",
        )
    )
    assert linear(tmp_path, text, "--from", "u", "--to", "half.y")["D"] == [[0.5]]
    assert linear(tmp_path, text, "--from", "u", "--to", "y")["D"] == [[1.5]]


def test_two_rates_are_taken_over_their_common_period(tmp_path):
    law = """[block]
u = { kind = "In", unit = "1" }
fast = { kind = "Lag", time_s = 0.05 }
slow = { kind = "RateTransition", rate = 2 }
b = { kind = "IntegralForward", rate = 2 }
y = { kind = "Out" }
[wire]
"fast.u" = "u.y"
"slow.u" = "fast.y"
"b.u" = "slow.y"
"y.u" = "b.y"
"""
    told = linear(tmp_path, law, "--from", "u", "--to", "y")
    assert told["period_s"] == 2.0 * H
    moving = [one["re"] for one in told["poles"] if one["magnitude"] > 1e-9]
    np.testing.assert_allclose(moving, [1.0, math.exp(-2.0 * H / 0.05)], atol=1e-12)
    assert not told["stable"]


def test_the_picture_is_written_and_numbers_of_vectors_are_chosen(tmp_path):
    picture = tmp_path / "bode.png"
    linear(tmp_path, LOOP, "--loop", "plant.u", "--out", picture)
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    text = chain('kind = "Gain", k = 3.0').replace('"In",', '"In", shape = [2],')
    assert linear(tmp_path, text, "--from", "u", "--to", "y")["D"] == [[3.0, 0.0], [0.0, 3.0]]
    assert linear(tmp_path, text, "--from", "u[2]", "--to", "y[2]")["D"] == [[3.0]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "write --from IN and --to OUT, or --loop"),
        (["--from", "r"], "write --from IN and --to OUT"),
        (["--from", "rr", "--to", "y"], "'rr': no such input; did you mean r?"),
        (["--from", "r[2]", "--to", "y"], "it has the numbers 1 to 1"),
        (["--from", "r", "--to", "z"], "'z': no such output"),
        (["--loop", "plant.e"], "'plant.e': no wire ends there; did you mean"),
        (["--loop", "error.u1"], "it comes from an input, so no loop goes over it"),
    ],
)
def test_wrong_ends_of_a_linear_system_are_told(tmp_path, arguments, words):
    assert words in linear(tmp_path, LOOP, *arguments, status=2)["error"]


def test_a_cut_loop_keeps_the_wire_at_its_value_of_the_running_point(tmp_path):
    text = LOOP.replace('"plant.u" = "pi.y"', '"bend.u" = "pi.y"\n"plant.u" = "bend.y"').replace(
        "y = {", 'bend = { kind = "Tanh" }\ny = {'
    )
    at = ("--at", "3", "--input", "r=3")
    told = linear(tmp_path, text, "--loop", "bend.u", *at)
    closed = poles_of(linear(tmp_path, text, "--from", "r", "--to", "y", *at))
    np.testing.assert_allclose(poles_of(told, "closed_poles"), closed, atol=1e-9)


def test_a_loop_that_is_real_and_above_zero_there_is_at_no_end_of_stability():
    """Its phase falls from -90 to -450 degrees: -1 is near where it is half a turn, not a whole."""

    def loop(radians):
        gain = 0.5 + 0.9 * (radians - 0.25 * math.pi) / math.pi  # 0.5 at -180, 0.95 at -360
        return gain * np.exp(-1j * (0.5 * math.pi + 2.0 * radians))

    gain, _ = margins(loop, np.linspace(1e-3, math.pi, 2000), H)
    assert gain.value == pytest.approx(20.0 * math.log10(2.0), abs=1e-6)
    assert gain.hz == pytest.approx(0.125 / H, rel=1e-6)


@pytest.mark.parametrize("k", [0.5, 0.8, 1.25])
def test_the_margin_of_a_plain_delay_is_at_half_the_rate(k):
    """k/z = -k at z = -1 and nowhere else."""
    gain, _ = margins(lambda radians: k * np.exp(-1j * radians), grid(np.zeros(1)), H)
    assert gain.value == pytest.approx(-20.0 * math.log10(k), abs=1e-9)
    assert gain.hz == pytest.approx(0.5 / H)
