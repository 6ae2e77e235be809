"""Logs and crash reports that stand in tickets, pages, mails and tables: whose they are, nobody knows."""

from __future__ import annotations

import csv
import gzip
import html
import io
from collections.abc import Callable
from email.message import EmailMessage
from functools import cache
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from tests.layers import one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"
GIVEN = {
    "a broker's log": FIXTURES / "logs" / "pop-offset-lost-5.3.3" / "broker" / "pop.log.gz",
    "a long log": FIXTURES / "logs" / "sync-flush-slow-5.3.3" / "broker" / "store.log.gz",
    "a log of the collector": FIXTURES / "logs" / "client-gc-thrashing-4.9.7" / "g1-58m" / "gc.log.gz",
    "a crash report": FIXTURES / "public" / "cms-crashes-while-marking-77" / "hs_err_pid30112.log",
}
ABOVE = (
    "# Incident 4711\n\nThe broker of the shop was slow today and the team wants to know why it is so.\n"
    "Here is what we saw in the log of the broker, we think that it is the disk.\n\n"
)
BELOW = "\nWe have restarted it since, and it is fine now. Please tell us what it was.\n"
SUMMARY = "<key>OPS-4711</key><summary>The broker is slow</summary>"


def table(text: str) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(
        [["id", "title", "description"], ["1", "The broker is slow", text], ["2", "Another one", "nothing"]]
    )
    return out.getvalue().encode()


def mail(text: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.com", "b@example.com", "The broker is slow"
    message.set_content(ABOVE + text + BELOW, cte="8bit")
    return message.as_bytes()


DOCUMENTS: dict[str, Callable[[str], bytes]] = {
    "ticket.md": lambda text: f"{ABOVE}```\n{text}```\n{BELOW}".encode(),
    "ticket.txt": lambda text: f"{ABOVE}{{code}}\n{text}{{code}}\n{BELOW}".encode(),
    "page.html": lambda text: (
        f"<html><body><h1>Incident</h1><p>It was slow.</p><pre>\n{html.escape(text)}</pre></body></html>\n".encode()
    ),
    "issue.xml": lambda text: (
        f'<?xml version="1.0"?>\n<issue>{SUMMARY}<description><![CDATA[\n{text}]]></description></issue>\n'.encode()
    ),
    "tickets.csv": table,
    "mail.eml": mail,
}
PASTES: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "a line above": lambda text: f"here is the log:\n\n{text}".encode(),
    "lines around": lambda text: f"Hi, our broker is slow, here is the log:\n\n{text}\nthanks!\n".encode(),
    "a fence": lambda text: f"It is slow since noon:\n```\n{text}```\nAny idea?\n".encode(),
    "preformatted": lambda text: f"<pre>{html.escape(text)}</pre>\n".encode(),
}


@cache
def text_of(name: str) -> str:
    data = GIVEN[name].read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def told(report: Report) -> list[tuple[str, str, str]]:
    return sorted(
        (one.rule, one.severity.value, one.confidence.value) for one in report.findings if one.is_fault
    )


@one_in_each_run(4)
@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("name", GIVEN)
def test_a_document_makes_nothing_sure(name: str, form: str, tmp_path: Path) -> None:
    own, path = tmp_path / "own.log", tmp_path / form
    own.write_text(text_of(name))
    path.write_bytes(DOCUMENTS[form](text_of(name)))
    report = diagnose_incident([path]).report
    assert [given.pasted for given in report.inputs] == [1]
    sure = told(diagnose_incident([own]).report)
    assert {confidence for *_, confidence in sure} == {"high"}
    assert told(report) == [(rule, severity, "medium") for rule, severity, _ in sure]
    if name != "a crash report":
        assert told(diagnose_logs([path]).report) == told(report)


@one_in_each_run(3)
@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
@pytest.mark.parametrize("name", GIVEN)
def test_a_line_or_two_make_no_document(name: str, paste: Callable[[str], bytes], tmp_path: Path) -> None:
    path = tmp_path / "paste.txt"
    path.write_bytes(paste(text_of(name)))
    report = diagnose_incident([path]).report
    assert [given.pasted for given in report.inputs] == [0]
    assert {confidence for *_, confidence in told(report)} == {"high"}


def test_a_log_beside_a_document_stays_sure(tmp_path: Path) -> None:
    own, ticket = tmp_path / "store.log", tmp_path / "ticket.md"
    own.write_text(text_of("a long log"))
    ticket.write_bytes(DOCUMENTS["ticket.md"](text_of("a broker's log")))
    report = diagnose_incident([own, ticket]).report
    assert [(rule, confidence) for rule, _, confidence in told(report)] == [
        ("pop-offset-lost", "medium"),
        ("slow-writes", "high"),
    ]
