"""A sweep whose workers run on another host: two network namespaces with an Ethernet link between them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
import sweep_helpers as helpers
from dask_helpers import Host, driving, machines
from pace import until

import slipstick as ss

pytest.importorskip("distributed", reason="dask.distributed is not installed")
OVER = {"a": [float(k) for k in range(30)], "b": [float(k) for k in range(10)]}


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[tuple[Host, Host]]:
    """Two hosts that reach each other by their addresses alone."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces need root and the command ip")
    names = [f"slipstick-{os.getpid()}-{side}" for side in "ab"]
    links = [f"ss{os.getpid() % 10**6}{side}" for side in "ab"]
    with ExitStack() as stack:
        for name in names:
            try:
                ip("netns", "add", name)
            except subprocess.CalledProcessError:
                pytest.skip("this machine does not allow network namespaces")
            stack.callback(ip, "netns", "delete", name)
        ip("link", "add", links[0], "netns", names[0], "type", "veth", "peer", "name", links[1], "netns", names[1])
        for k, (name, link) in enumerate(zip(names, links, strict=True)):
            ip("-n", name, "address", "add", f"10.213.7.{k + 1}/24", "dev", link)
            ip("-n", name, "link", "set", link, "up")
            ip("-n", name, "link", "set", "lo", "up")
        first, second = (Host(f"10.213.7.{k + 1}", ("ip", "netns", "exec", name)) for k, name in enumerate(names))
        yield first, second


def network_of(process: subprocess.Popen[bytes]) -> str:
    return os.readlink(f"/proc/{process.pid}/ns/net")


@pytest.mark.long
def test_workers_on_another_host_give_the_same_figures(tmp_path: Path, hosts: tuple[Host, Host]) -> None:
    here, there = hosts
    (tmp_path / "go").touch()
    with machines(tmp_path, host=here, worker_host=there) as cluster:
        with driving(tmp_path, cluster.address, OVER, "gated", host=here) as driver:
            until(lambda: len(helpers.done(tmp_path / "map.sqlite")) >= 10)
            networks = {network_of(worker) for worker in cluster.workers}
            assert networks.isdisjoint({network_of(cluster.scheduler), os.readlink("/proc/self/ns/net")})
            until(lambda: driver.poll() is not None)
        assert driver.returncode == 0
    a, b = np.meshgrid(OVER["a"], OVER["b"], indexing="ij")
    assert np.array_equal(ss.open(tmp_path / "map.sqlite")["quotient"].values, a / (b + 3.0))
