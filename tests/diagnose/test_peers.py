"""Whom threads wait for: read from the objects that their frames hold, told by rules, hidden by --redact."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from mqdiag.cli import run
from mqdiag.diagnose.peers import PeerReader
from mqdiag.graph import Heap
from mqdiag.graph.threads import ThreadRecord
from tests.folded import folded

STUCK = Path(__file__).parents[2] / "fixtures" / "incidents" / "stuck-http"
READ = ("java.net.SocketInputStream.socketRead0(Native Method)", "com.acme.Client.call(Client.java:9)")


class FakeHeap:
    """Objects as dictionaries: "class", and fields with numbers, texts or other objects."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.classes = SimpleNamespace(names=[], ancestors=lambda row: [row])

    def add(self, given: dict[str, Any]) -> int:
        self.objects.append(given)
        self.classes.names.append(given["class"])
        return len(self.objects) - 1

    @property
    def index(self) -> SimpleNamespace:
        return SimpleNamespace(rows=list(range(len(self.objects))))

    def class_name(self, node: int) -> str:
        return str(self.objects[node]["class"])

    def _at(self, node: int, path: str) -> Any:
        here: Any = self.objects[node]
        for field in path.split("."):
            here = here.get(field) if isinstance(here, dict) else None
        return here

    def ref(self, node: int, path: str) -> int:
        found = self._at(node, path)
        if isinstance(found, str):
            found = {"class": "java.lang.String", "text": found}
        return self.add({"class": "", **found}) if isinstance(found, dict) else -1

    def number(self, node: int, path: str) -> int | None:
        found = self._at(node, path)
        return found if isinstance(found, int) else None

    def string(self, node: int) -> str | None:
        return cast("str | None", self.objects[node].get("text"))


def peer_of(*held: dict[str, Any]) -> dict[str, Any]:
    heap = FakeHeap()
    nodes = np.array([heap.add(one) for one in held], np.int32)
    record = ThreadRecord(node=0, serial=1, name="worker", frames=READ, locals={0: nodes})
    found = PeerReader(cast("Heap", heap)).of(record, "RUNNABLE")
    return {} if found is None else {"url": found.url, "port": found.port, "timeout_ms": found.timeout_ms}


@folded("held, expected", [
        (
            [{"class": "java.net.Socket", "impl": {"class": "java.net.SocketImpl", "port": 8080, "timeout": 0,
              "address": {"class": "java.net.InetAddress", "holder": {"address": 0x0A000008}}}}],
            {"url": "10.0.0.8:8080", "port": 8080, "timeout_ms": 0},
        ),
        (
            [
                {"class": "org.apache.http.HttpHost", "hostname": "stock", "port": 8080, "schemeName": "http"},
                {"class": "org.apache.http.client.methods.HttpRequestWrapper", "method": "GET",
                 "uri": {"class": "java.net.URI", "string": "/hang?order=7"}},
            ],
            {"url": "http://stock:8080/hang", "port": 8080, "timeout_ms": None},
        ),
        (
            [{"class": "okhttp3.internal.http.RealInterceptorChain", "readTimeout": 10000,
              "request": {"class": "okhttp3.Request", "method": "GET",
                          "url": {"class": "okhttp3.HttpUrl", "url": "https://stock/hang"}}}],
            {"url": "https://stock/hang", "port": None, "timeout_ms": 10000},
        ),
        (
            [{"class": "com.mysql.cj.conf.HostInfo", "host": "db", "port": 3306, "originatingUrl":
              {"class": "com.mysql.cj.conf.ConnectionUrl", "originalConnStr": "jdbc:mysql://me:it@db:3306/shop?password=x"}}],
            {"url": "jdbc:mysql://db:3306/shop", "port": 3306, "timeout_ms": None},
        ),
        (
            [{"class": "org.postgresql.jdbc.PgConnection", "creatingURL": "jdbc:postgresql://db:5432/shop"}],
            {"url": "jdbc:postgresql://db:5432/shop", "port": 5432, "timeout_ms": None},
        ),
        (
            [{"class": "redis.clients.jedis.Connection", "soTimeout": 2000, "socketFactory":
              {"class": "redis.clients.jedis.DefaultJedisSocketFactory",
               "hostAndPort": {"class": "redis.clients.jedis.HostAndPort", "host": "cache", "port": 6379}}}],
            {"url": "cache:6379", "port": 6379, "timeout_ms": 2000},
        ),
        (
            [{"class": "io.grpc.internal.ManagedChannelImpl", "target": "dns:///stock:9090"}],
            {"url": "dns:///stock:9090", "port": None, "timeout_ms": None},
        ),
        ([{"class": "com.acme.Order", "host": "db", "port": 3306}], {}),
    ])  # fmt: skip
def test_objects_of_clients_tell_the_other_side(held: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    assert peer_of(*held) == expected


@pytest.mark.parametrize("redact", [False, True])
def test_an_incident_names_what_its_stuck_thread_waits_for(redact: bool, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    options = ["--redact"] if redact else []
    run(["diagnose", str(STUCK), "--format", "json", "-o", str(path), "--fail-on", "never", *options])
    text = path.read_text()
    report = json.loads(text)
    (found,) = (one for one in report["findings"] if one["rule"] == "stuck-socket-read")
    peers = [thread["peer"] for thread in report["heap"]["threads"] if thread["peer"] is not None]
    assert {peer["timeout_ms"] for peer in peers} == {0}
    assert found["evidence"]["peer_timeout_ms"] == 0
    assert ("127.0.0.1:" in text) is not redact
    assert found["evidence"]["peer"].startswith("address-" if redact else "http://127.0.0.1:")
    assert found["evidence"]["peer"].endswith("/hang") is not redact
