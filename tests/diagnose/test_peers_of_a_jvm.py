"""A real JVM whose threads wait for a server that never answers: the report names it, and --redact hides it."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest

from mqdiag.cli import run
from tests.layers import CHECK
from tests.programs import need
from tests.waiting import PATIENCE_S, wait_until

pytestmark = CHECK
SOURCE = """
package com.acme.stock;
import java.net.*;
public class Waits {
  static int ask(String port) throws Exception {
    URL url = new URL("http://127.0.0.1:" + port + "/stock/17?token=hush");
    HttpURLConnection call = (HttpURLConnection) url.openConnection();
    return call.getInputStream().read();
  }
  public static void main(String[] args) throws Exception {
    var pool = java.util.concurrent.Executors.newFixedThreadPool(2);
    for (int at = 0; at < 2; at++) pool.submit(() -> ask(args[0]));
  }
}
"""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A folder with four thread dumps and a heap dump of one process, and the port that its threads wait for."""
    need("java", "jcmd")
    folder = tmp_path_factory.mktemp("waits")
    source = folder / "Waits.java"
    source.write_text(SOURCE)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        process = subprocess.Popen(["java", "-Xmx48m", "-XX:+UseSerialGC", str(source), str(port)])
        try:
            kept = [silent.accept() for _ in range(2)]
            wait_until(lambda: b"parseHTTPHeader" in _jcmd(process.pid, "Thread.print", "-l"), "the wait")
            taken = folder / "taken"
            taken.mkdir()
            # the samples are as far apart as the age of the process says
            for at in range(4):
                before = _age_s(process.pid)
                (taken / f"j{at}.log").write_bytes(_jcmd(process.pid, "Thread.print", "-l"))
                wait_until(lambda since=before: _age_s(process.pid) >= since + 2.6, "the next sample")
            _jcmd(process.pid, "GC.heap_dump", str(taken / "heap.hprof"))
            for connection, _ in kept:
                connection.close()
        finally:
            process.kill()
            process.communicate()
    return taken, port


def _jcmd(pid: int, *words: str) -> bytes:
    return subprocess.run(
        ["jcmd", str(pid), *words], check=True, capture_output=True, timeout=PATIENCE_S
    ).stdout


def _age_s(pid: int) -> float:
    """The uptime that the JVM tells."""
    return float(_jcmd(pid, "VM.uptime").split()[1].replace(b",", b"."))


@pytest.mark.parametrize("redact", [False, True])
def test_host_port_path_and_limit_are_those_of_the_process(
    redact: bool, evidence: tuple[Path, int], tmp_path: Path
) -> None:
    taken, port = evidence
    path = tmp_path / "report.json"
    options = ["--redact"] if redact else []
    run(["diagnose", str(taken), "--format", "json", "-o", str(path), "--fail-on", "never", *options])
    text = path.read_text()
    (found,) = (one for one in json.loads(text)["findings"] if one["rule"] == "threads-stuck")
    assert (found["evidence"]["thread_count"], found["evidence"]["peer_timeout_ms"]) == (2, 0)
    assert (found["evidence"]["peer"] == f"http://127.0.0.1:{port}/stock/17") is not redact
    assert ("127.0.0.1" in text, "/stock/17" in text) == (not redact, not redact)
    assert "hush" not in text
