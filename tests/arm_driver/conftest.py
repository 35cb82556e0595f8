"""A pseudo-terminal at whose far end the test is the robot."""

import os
import tty

import pytest
from wire_peer import Peer


@pytest.fixture
def pty_peer():
    master, slave = os.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    peer = Peer(master, f"serial:{os.ttyname(slave)}", also=[slave])
    yield peer
    peer.unplug()
