"""The rows of log statements: they are of one form, and agree with the catalogue and with what reads their lines."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

from mqdiag.knowledge.packed import KnowledgeError
from mqdiag.logs import versions
from mqdiag.logs.counting import SUBJECTS, Counted, handler_of, python_handler
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.statements import HOLE, WORD, Event, Statement, events, searched
from mqdiag.read.logs.scan import Counts, Hit, Scanner
from mqdiag.read.logs.stamps import StampReader
from tests.layers import CHECK
from tests.logs.statement_rows import rows

CATALOGUE = Path(__file__).parents[2] / "mqdiag" / "logs" / "catalogue"
ROWS = list(rows())
SHORTEST_BEFORE_A_HOLE = 5


def logged() -> list[tuple[set[str], set[str], str]]:
    """(levels, simple names of classes, text) of all statements of the catalogue."""
    found = []
    for name in ("statements.tsv", "grpc_client.tsv", "libraries.tsv"):
        for line in (CATALOGUE / name).read_text("utf-8").splitlines()[1:]:
            _, _, _, levels, _, classes, text = line.split("\t")
            loggers = {one.rpartition(".")[2] for one in classes.split(",")}
            found.append((set(levels.split(",")), loggers, text.replace("\\t", "\t")))
    return found


def before(behind: str) -> str:
    """The pattern of what stands before a literal."""
    return re.escape(behind).replace(re.escape(WORD), r"\S+").replace(re.escape(HOLE), ".*")


def test_there_are_rows() -> None:
    assert len(ROWS) >= 355
    assert len({row.literal for row in ROWS}) == len(ROWS)


@CHECK
def test_no_literal_hides_another() -> None:
    """One that stands within another one, and ends before it, is not what is found in the text of that."""
    rows = searched()
    scanner = Scanner(rows.literals, rows.wanted, rows.changes)
    longer = {b for a, b in permutations(rows.literals, 2) if a in b[:-1]}
    assert longer
    for text in longer:
        found = {rows.literals[hit.literal] for hit in scanner.hits(iter([text + b"\n"]), Counts())}
        assert text in found, text


def test_levels_and_loggers_are_those_of_the_catalogue() -> None:
    """Statements at WARN and ERROR stand in the catalogue, which was made from the sources."""
    catalogue = logged()
    known = 0
    for row in ROWS:
        if row.statement.place != "message":
            continue
        own = [re.compile(before(behind) + re.escape(row.literal)) for behind in row.statement.behind]
        for levels, loggers, text in catalogue:
            if row.literal in text and any(pattern.match(text) for pattern in own):
                known += 1
                assert levels <= set(row.statement.levels), f"{row}: levels of {text!r}"
                assert loggers <= set(row.statement.loggers), f"{row}: loggers of {text!r}"
    assert known > 150


def test_what_the_catalogue_has_begins_as_the_row_says() -> None:
    """A row whose literal stands in a statement of its logger names all that may stand before it."""
    catalogue = logged()
    for row in ROWS:
        if row.statement.place != "message":
            continue
        starts = [re.compile(before(behind) + re.escape(row.literal)) for behind in row.statement.behind]
        for _, loggers, text in catalogue:
            if row.literal in text and loggers & set(row.statement.loggers):
                assert any(start.match(text) for start in starts), f"{row}: {text!r}"


def test_logged_statements_have_levels() -> None:
    for row in ROWS:
        if row.statement.place == "message":
            assert row.statement.levels, row
        assert row.statement.behind, row


def test_a_hole_for_any_text_has_words_of_the_statement_before_it() -> None:
    """Else it would stand for the head of a line and for what a user wrote."""
    for row in ROWS:
        for behind in row.statement.behind:
            own = behind.partition(HOLE)[0].replace(WORD, "")
            assert HOLE not in behind or len(own) >= SHORTEST_BEFORE_A_HOLE, f"{row}: {behind!r}"


def test_examples_are_of_their_rows() -> None:
    for row in ROWS:
        if row.statement.place == "head":
            continue
        assert row.literal in row.example, row
        if row.statement.place == "message":
            starts = [before(behind) + re.escape(row.literal) for behind in row.statement.behind]
            assert any(re.match(start, row.example) for start in starts), row


def test_patterns_find_their_examples() -> None:
    for row in ROWS:
        event = row.event
        if event.pattern and not event.optional and row.behind is row.statement.behind[0]:
            found = re.search(event.pattern, row.example)
            assert found is not None, row
            for name in (*event.largest, *event.smallest, *([event.sum] if event.sum else [])):
                assert re.search(event.pattern, row.example)[name] is None or int(found[name]) >= 0, row


def test_names_of_groups_are_groups() -> None:
    for row in ROWS:
        event = row.event
        groups = re.compile(event.pattern).groupindex if event.pattern else {}
        named = {*event.largest, *event.smallest, *event.least, *([event.sum] if event.sum else [])}
        assert named <= groups.keys(), row
        assert groups.keys() <= {*named, *SUBJECTS}, row
        assert not event.handler or not (event.pattern or event.marks or event.subject), row


def test_every_handler_is_there() -> None:
    for place, event in enumerate(searched().events):
        assert callable(handler_of(place)), event.handler
    with pytest.raises(LookupError, match=r"store\.disk, and not store\.nothing"):
        python_handler("store.nothing")


def test_settings_are_those_that_tell_versions() -> None:
    printed = {
        row.literal.removeprefix("INFO main - ").rstrip("=") for row in ROWS if row.subject == "settings"
    }
    assert printed >= versions.KEPT


def counted(event: Event, text: str) -> LogTally:
    log = LogTally("some.log", "broker")
    hit = Hit(0, text.encode(), text.encode(), 0, 0, 1)
    Counted(event)(Message(hit, StampReader()), log)
    return log


def test_a_row_says_what_is_counted() -> None:
    event = Event(
        kind="made-up",
        side="broker",
        statements=(Statement(literal="file of"),),
        pattern=r"file of (?P<topic>\w+) took (?P<longest_ms>\d+) ms(?: in queue (?P<queue_id>\d+))?",
        largest=("longest_ms",),
        least={"longest_ms": 10},
        unless="dry run",
        marks={"slow": "slow"},
    )
    (tally,) = counted(event, "file of orders took 12 ms in queue 3, slow").events.values()
    assert (tally.kind, tally.side, tally.values) == ("made-up", "broker", {"longest_ms": 12, "slow": 1})
    ((subject, row),) = tally.subjects.items()
    assert (subject.topic, subject.queue_id, row.count) == ("orders", 3, 1)
    for text in (
        "file of orders took 9 ms",
        "file of orders took 12 ms, dry run",
        "file of orders",
        "at file of x took 12 ms",
    ):
        assert not counted(event, text).events, text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[[event]]\nkind = "a"\nhandler = "b.c"\nstatements = [{ literal = "x" }]',
            "line 1: .*either kind or handler",
        ),
        ('[[event]]\nkind = "a"\nstatements = []', "at least one of statements"),
        (
            '[[event]]\nkind = "a"\nstatements = [{ literal = 7 }]',
            r"line 3: event\[0\]\.statements\[0\].*Expected str",
        ),
        (
            '[[event]]\nkind = "a"\nlevels = ["LOUD"]\nstatements = [{ literal = "x" }]',
            r"line 3: event\[0\]\.levels.*LOUD",
        ),
        ('[[event]]\nkind = "a"\nlitteral = "x"\nstatements = [{ literal = "x" }]', r"event\[0\].*litteral"),
        ("[[event]", "is not TOML"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "some.toml").write_text(text)
    with pytest.raises(KnowledgeError, match=f"some.toml.*{expected}"):
        list(events(str(tmp_path)))
