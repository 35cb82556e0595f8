"""A plain canopen master, which knows nothing of this project, uses the rack over real wires."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import can
import canopen
import pytest
from canopen.nmt import NmtError
from canopen.profiles.p402 import BaseNode402
from emulated_eds import build_object_dictionary, export_eds
from rack_thread import running_rack

EDS = Path(__file__).parents[2] / "configs" / "eds" / "hil_emulated_drive.eds"


@contextlib.contextmanager
def slcan_network(url: str) -> Iterator[canopen.Network]:
    """python-can's own slcan bus behind a canopen network."""
    bus = can.Bus(
        url.removeprefix("slcan:"), interface="slcan", bitrate=1_000_000, sleep_after_open=0
    )
    network = canopen.Network(bus=bus)
    network.NOTIFIER_CYCLE = 0.05
    network.connect()
    try:
        yield network
    finally:
        network.disconnect()


def _reset(node: BaseNode402) -> None:
    """Reset a node; one that is still booting after power-up does not hear the first command."""
    for longest_s in (1.0, 1.0, 30.0):  # the last: on a busy machine
        node.nmt.send_command(129)
        try:
            node.nmt.wait_for_bootup(longest_s)
        except NmtError:
            if longest_s > 1.0:
                raise
        else:
            return


def start_node(network: canopen.Network, number: int) -> BaseNode402:
    node = BaseNode402(number, str(EDS))
    network.add_node(node)
    _reset(node)
    node.sdo[0x6099][1].raw = 100_000
    node.sdo[0x609A].raw = 2_000_000
    node.setup_402_state_machine()
    node.nmt.state = "OPERATIONAL"
    return node


def test_the_shipped_eds_is_what_the_code_exports():
    assert EDS.read_text() == export_eds()


def test_canopen_reads_the_eds_back_as_the_dictionary_of_the_code():
    built = build_object_dictionary(5)
    read = canopen.import_od(str(EDS), 5)
    assert [i for i in read if i > 7] == list(built)  # 2 to 7 are the dummies for RPDOs
    for index in built:
        mine, theirs = built[index], read[index]
        assert type(mine) is type(theirs)
        assert mine.name == theirs.name
        if isinstance(mine, canopen.objectdictionary.ODVariable):
            pairs = [(mine, theirs)]
        else:
            assert list(mine) == list(theirs)
            pairs = [(mine[sub], theirs[sub]) for sub in mine]
        for a, b in pairs:
            for what in ("name", "data_type", "access_type", "default", "pdo_mappable"):
                assert getattr(a, what) == getattr(b, what), (hex(index), a.subindex, what)
    assert len(built) >= 63
    assert read[0x1800][1].default == 0x185


def test_the_eds_bears_no_date_and_no_path():
    text = EDS.read_text()
    assert "Date" not in text
    assert "Time=" not in text
    assert "/" not in text.replace("Modes/", "")


@pytest.mark.parametrize("pty", [False, True], ids=["tcp", "pty"])
def test_a_plain_master_boots_enables_and_homes_a_drive(pty: bool):
    with (
        running_rack(pty=pty) as urls,
        slcan_network(urls.get(timeout=5.0)) as network,
    ):
        node = start_node(network, 2)
        assert node.sdo[0x1008].raw == "HIL emulated drive"
        assert node.sdo[0x1018][1].raw == 0
        node.op_mode = "HOMING"
        node.state = "OPERATION ENABLED"
        assert node.state == "OPERATION ENABLED"
        assert node.homing(timeout=10)
        assert node.is_homed()
        node.state = "READY TO SWITCH ON"
        assert node.state == "READY TO SWITCH ON"


def test_the_scanner_finds_six_nodes_and_only_those():
    with running_rack() as urls, slcan_network(urls.get(timeout=5.0)) as network:
        network.scanner.search(limit=12)
        answers = threading.Event()
        for _ in range(100):
            if len(network.scanner.nodes) >= 6:
                break
            answers.wait(0.02)
        assert sorted(network.scanner.nodes) == [1, 2, 3, 4, 5, 6]


def test_each_node_says_who_it_is():
    with running_rack() as urls, slcan_network(urls.get(timeout=5.0)) as network:
        for number in range(1, 7):
            node = canopen.RemoteNode(number, str(EDS))
            network.add_node(node)
            assert node.sdo[0x1018][4].raw == 1000 + number
            assert node.sdo[0x1000].raw == 0x0002_0192
            assert node.sdo[0x6502].raw == 0b1110_0101
