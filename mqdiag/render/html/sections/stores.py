"""Stores of brokers, and what mqadmin printed."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.parts import AnyPart, Bullets, Cell, Column, Paragraph, Section, Table
from mqdiag.render.text.admin import backlogs, broker_rows
from mqdiag.render.text.stores import commit_log, differing, end_of, remarks
from mqdiag.render.wording.sizes import number
from mqdiag.text import say


def stores_section(report: Report, view: View) -> Section | None:
    """Each store, and for each pair the queues that do not end alike."""
    stores = report.stores
    if stores is None:
        return None
    table = Table(
        name="stores",
        caption=say("Stores"),
        columns=(
            Column(head=say("store")),
            Column(head=say("role")),
            Column(head=say("queues"), number=True),
            Column(head=say("offsets"), number=True),
            Column(head=say("commit log"), number=True),
            Column(head=say("last message stored")),
        ),
        rows=[
            (
                store.path,
                store.role or say("unknown"),
                Cell(number(len(store.queues)), len(store.queues)),
                Cell(number(len(store.offsets)), len(store.offsets)),
                Cell(commit_log(store), store.commit_log_max or 0),
                store.last_stored_at or "",
            )
            for store in stores.stores
        ],
    )
    parts: list[AnyPart] = [table]
    lines = [line for store in stores.stores for line in remarks(store)]
    if lines:
        parts.append(Bullets(lines))
    for place, pair in enumerate(stores.pairs):
        rows = differing(stores, pair)
        parts.append(
            Paragraph(
                say(
                    "{first} and {second} are of one broker: {proof}.",
                    first=pair.first,
                    second=pair.second,
                    proof=pair.proof,
                )
            )
        )
        parts.append(
            Table(
                name=f"pair-{place}",
                caption=say("Queues that do not end alike"),
                columns=(
                    Column(head=say("topic")),
                    Column(head=say("queue"), number=True),
                    Column(head=pair.first),
                    Column(head=pair.second),
                ),
                rows=[
                    (topic, Cell(str(queue), queue), end_of(mine), end_of(theirs))
                    for topic, queue, mine, theirs in rows
                ],
            )
            if rows
            else Paragraph(say("Their queues end at the same offsets."))
        )
    return Section(name="stores", title=say("Stores"), parts=parts)


def admin_section(report: Report, view: View) -> Section | None:
    """Backlogs and brokers as mqadmin has them."""
    admin = report.admin
    if admin is None:
        return None
    parts: list[AnyPart] = []
    rows = backlogs(admin)
    if rows:
        heads = (say("group"), say("topic"), say("queues"), say("behind"), say("most in one"))
        parts.append(
            Table(
                name="backlogs",
                caption=say("Backlogs, as mqadmin has them"),
                columns=tuple(Column(head=head, number=place > 1) for place, head in enumerate(heads)),
                rows=[(*row[:2], *(_number_cell(text) for text in row[2:])) for row in rows],
            )
        )
    brokers = broker_rows(admin)
    if brokers:
        heads_of_brokers = (
            say("broker"), say("version"), say("send queue"), say("lock ms"), say("not dispatched"), say("disk used"),
            say("100 ms writes"),
        )  # fmt: skip
        parts.append(
            Table(
                name="broker-counters",
                caption=say("Brokers, as mqadmin has them"),
                columns=tuple(Column(head=head) for head in heads_of_brokers),
                rows=brokers,
            )
        )
    return Section(name="mqadmin", title=say("mqadmin"), parts=parts) if parts else None


def _number_cell(text: str) -> Cell:
    digits = text.replace(",", "")
    return Cell(text, int(digits) if digits.lstrip("-").isdigit() else 0)
