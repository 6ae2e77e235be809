"""Logs as tools for many hosts and stores of logs hand them out: each has the findings of the file that it was."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
GIVEN = {
    "a broker's file": LOGS / "pop-offset-lost-5.3.3" / "broker" / "pop.log.gz",
    "a client's file": LOGS / "client-gc-thrashing-4.9.7" / "g1-58m" / "rocketmq_client.log.gz",
}
HOSTS = {
    "ansible": "[host-a] ",
    "pdsh": "host-a: ",
    "pssh with addresses": "10.0.0.7: ",
    "clush with domains": "mq-1.prod.example.com: ",
    "fabric": "[host-a] out: ",
    "bar": "host-a | ",
}


def lines_of(name: str) -> list[str]:
    return gzip.decompress(GIVEN[name].read_bytes()).decode().splitlines()


def found_in(folder: Path, text: str, name: str = "saved.log") -> list[tuple[str, str, str]]:
    """Rule, severity and confidence of each finding."""
    path = folder / name
    path.write_text(text)
    report = diagnose_logs([str(path)]).report
    return sorted((one.rule, one.severity.value, one.confidence.value) for one in report.findings)


def as_it_was(name: str, folder: Path) -> list[tuple[str, str, str]]:
    found = found_in(folder, "\n".join(lines_of(name)) + "\n", "own.log")
    assert ("error", "high") in {one[1:] for one in found}
    return found


@pytest.mark.parametrize("prefix", HOSTS.values(), ids=HOSTS)
@pytest.mark.parametrize("name", GIVEN)
def test_a_host_before_every_line_changes_nothing(name: str, prefix: str, tmp_path: Path) -> None:
    text = "".join(f"{prefix}{line}\n" for line in lines_of(name))
    assert found_in(tmp_path, text) == as_it_was(name, tmp_path)
