"""`WorkerListener` closes whatever the workers that connect to it do."""

from __future__ import annotations

import threading
from multiprocessing.connection import Client

import pytest

from slipstick.workers.process import WorkerListener


@pytest.mark.parametrize("closed_links", [1, 5])
def test_a_listener_closes_right_after_a_worker_died_while_connecting(closed_links: int):
    listener = WorkerListener()
    for _ in range(closed_links):
        Client(listener.address).close()  # as a worker that is killed before it sends its key
    closing = threading.Thread(target=listener.close, daemon=True)
    closing.start()
    closing.join(timeout=60)
    assert not closing.is_alive()


def test_a_closed_listener_can_be_closed_again():
    listener = WorkerListener()
    listener.close()
    listener.close()
