"""A rack that runs on the real clock in a thread of the test, behind a real wire."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue

from hil.timing.realtime import RealClock
from sim.devices.can.program import run_can_rack
from sim.devices.drive.parameters import RackSettings
from sim.devices.faults import Injection


@contextmanager
def running_rack(
    settings: RackSettings | None = None,
    *,
    pty: bool = False,
    console_fd: int | None = None,
    script: tuple[Injection, ...] = (),
    answers: list[str] | None = None,
) -> Iterator[Queue[str]]:
    """Yield a queue of the URLs that the rack announces, the first one at once."""
    urls: Queue[str] = Queue()
    over = threading.Event()
    failures: list[BaseException] = []
    console = None if console_fd is None else open(console_fd, closefd=False)  # noqa: SIM115

    def run() -> None:
        try:
            run_can_rack(
                settings or RackSettings(boot_time_s=0.0),
                pty=pty,
                seed=3,
                now_s=RealClock().now_s,
                console=console,
                script=script,
                ready=urls.put,
                stop=over.is_set,
                say=None if answers is None else answers.append,
            )
        except BaseException as error:
            failures.append(error)
            urls.put("failed")
            raise

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield urls
    finally:
        over.set()
        thread.join(5.0)
        if console is not None:
            console.close()
    assert not thread.is_alive()
    assert not failures
