"""What others read of a recording are the numbers of `hil export`, bit for bit.

Others are the ROS 2 decoder of the MCAP project, `rosbags`, and NumPy with nothing but the layout
that stands beside the rows. `make test-long` takes the runs as they are shipped.
"""

import csv
import gc
import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from campaign import SHARE
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from typer.testing import CliRunner

from hil.cli.main import app

SHORT = {
    "demo": ("motion.duration_s=0.2", "motion.fade_s=0.5", "rate_hz=100"),
    "bkm_on_rm01": (
        "space_arm.model=b",
        "source.segment=[{duration_s=10.0,velocity_m_s=[0.0,0.0,0.02]}]",
    ),
}
STATIONS = {"demo": "platform", "bkm_on_rm01": "arm"}

Columns = dict[str, np.ndarray]


@pytest.fixture(scope="module", params=SHORT)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a run and of what `hil export` makes of it."""
    folder = tmp_path_factory.mktemp(request.param)
    overrides = SHORT[request.param] if SHARE < 1.0 else ()
    sets = [part for override in overrides for part in ("--set", override)]
    runner = CliRunner()
    done = runner.invoke(
        app, ["run", request.param, "--out", str(folder), "--clock", "virtual", *sets]
    )
    assert done.exit_code == 0, done.output
    (made,) = folder.iterdir()
    done = runner.invoke(app, ["export", str(made), "--out", str(made)])
    assert done.exit_code == 0, done.output
    return made


def by_ros(path: Path, topic: str) -> Columns:
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        found = [message for *_, message in reader.iter_decoded_messages(topics=[topic])]
    names = [name for name in type(found[0]).__slots__ if not name.startswith("_")]
    return {name: np.array([getattr(one, name) for one in found]) for name in names}


def by_rosbags(path: Path, topic: str) -> Columns:
    with AnyReader([path]) as bag:
        chosen = [one for one in bag.connections if one.topic == topic]
        found = [bag.deserialize(raw, one.msgtype) for one, _, raw in bag.messages(chosen)]
    names = [name for name in vars(found[0]) if name.islower() and not name.startswith("_")]
    return {name: np.array([getattr(one, name) for one in found]) for name in names}


def by_numpy(path: Path, topic: str) -> Columns:
    with path.open("rb") as file:
        found = list(make_reader(file).iter_messages(topic))
    layout = np.dtype(json.loads(found[0][1].metadata["dtype"]))
    rows = np.frombuffer(b"".join(message.data for _, _, message in found), layout)
    return {name: rows[name] for name in layout.names or ()}


def codes_of(path: Path, topic: str) -> dict[str, list[str]]:
    """Names of the codes of a signal, as the constants of its message tell them."""
    with path.open("rb") as file:
        schema, *_ = next(iter(make_reader(file).iter_messages(topic)))
    assert schema is not None
    found: dict[str, list[str]] = {}
    for constant in re.findall(r"^uint8 (\w+)=\d+$", schema.data.decode(), re.MULTILINE):
        name, _, code = constant.partition("_")
        found.setdefault(name.lower(), []).append(code)
    return found


PAGE = Path(__file__).parents[2] / "docs" / "recordings.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("run", ["demo"], indirect=True)
@pytest.mark.parametrize("example", EXAMPLES, ids=["numpy", "rosbags", "ros"])
def test_the_examples_of_the_page_do_what_they_say(
    run: Path, example: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # an example need not close its file
        exec(example, {})
        gc.collect()
    last = (run / "cycles.csv").read_text("utf-8").splitlines()[-1].split(",")
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith((last[1], "0.0 gate start"))
    assert told[-1].startswith(last[1]) or told[-1].endswith("STANDBY → OFF")


@pytest.mark.campaign
@pytest.mark.parametrize("read", [by_ros, by_rosbags, by_numpy])
def test_what_others_read_are_the_numbers_of_the_export(
    run: Path, read: Callable[[Path, str], Columns], request: pytest.FixtureRequest
) -> None:
    topic = f"/{STATIONS[request.node.callspec.params['run']]}/rows"
    path = run / "recording.mcap"
    columns, codes = read(path, topic), codes_of(path, topic)
    if "measured_inputs_there" in columns:
        there = columns.pop("measured_inputs_there") == 1
        inputs = columns["measured_inputs_bits"]
        columns["measured_inputs_bits"] = np.where(there[:, None], inputs, np.nan)
    with (run / "cycles.csv").open(newline="", encoding="utf-8") as file:
        names, *cells = csv.reader(file)
    wanted = list(zip(*cells, strict=True))
    assert len(wanted[0]) > 20
    for name, values in columns.items():
        for part in values.T if values.ndim == 2 else [values]:
            said, told = wanted.pop(0), part.tolist()
            if name in codes:
                words = [re.sub(r"[^A-Z0-9]+", "_", word.upper()) for word in said]
                assert words == [codes[name][code] for code in told], name
            else:
                numbers = [float(cell) if cell else np.nan for cell in said]
                np.testing.assert_array_equal(told, numbers, err_msg=name)
    assert not wanted
    assert len(names) == sum(one.shape[1] if one.ndim == 2 else 1 for one in columns.values())
