"""How many attacks of each kind the tests try, counted from the tests' own tables.

`python -m tests.hostile.tries` prints the table, `--write` puts it into SECURITY.md; a test holds it against that.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mqdiag.render import formats
from tests.fleet import test_hostile_files
from tests.hostile import test_belief, test_queries, test_reports, test_terminal
from tests.hostile.crafted_archives import BOMBS
from tests.hostile.crafted_dumps import ATTACKS
from tests.hostile.crafted_texts import ANY, LARGE_THREAD_DUMPS, LOGS, THREAD_DUMPS
from tests.hostile.test_mutations import DUMPS, SEEDS, heap_records, original
from tests.hostile.test_outputs import NAMES
from tests.hostile.typed_mutations import MUTATIONS

PAGE = Path(__file__).parents[2] / "SECURITY.md"
BEGIN, END = "<!-- tries: written by tests/hostile/tries.py -->\n", "<!-- end of tries -->\n"


def table() -> str:
    """The lines of the table, in Markdown."""
    texts = len(THREAD_DUMPS) + len(LARGE_THREAD_DUMPS) + len(LOGS) + len(ANY)
    records = sum(len(heap_records(original(dump))) for dump in DUMPS)
    sql = len(test_queries.REACHES_OUT) + len(test_queries.ENDLESS) + len(test_queries.DEEP)
    sql += len(test_queries.MUCH_TEXT) + len([test_queries.UNINTERRUPTED])
    rows = (
        ("real dumps with one field changed", len(MUTATIONS) * len(DUMPS) * SEEDS, "night"),
        ("real dumps without one record", records, "night"),
        (
            "dumps made to cost much, each by `heap` and `redact`",
            2 * len(ATTACKS),
            "night, half of it each time",
        ),
        ("texts made to cost much", texts, "each time; large ones at night"),
        ("archives that unpack to much, each by three commands", 3 * len(BOMBS), "night"),
        ("hostile names, each in every format of a report", len(NAMES) * len(formats()), "each time"),
        (
            "controls of a terminal, each in every text of four reports",
            len(test_terminal.REPORTS) * len(test_terminal.CONTROLS),
            "night, together each time",
        ),
        ("hostile SQL", sql, "each time; what takes seconds at night"),
        ("sentences of saved reports", len(test_reports.REFUSED) + len(test_reports.ODD), "each time"),
        (
            "edited, joined and forged evidence",
            len(test_belief.KINDS) * test_belief.TRIES,
            "night, some each time",
        ),
        ("hostile files in one fleet", len(test_hostile_files.FILES), "night"),
    )
    lines = ["| what is tried | tries | when |", "|---|---|---|"]
    lines += [f"| {what} | {number:,} | {when} |" for what, number, when in rows]
    return "\n".join(lines) + "\n"


def page() -> str:
    """SECURITY.md with the table of now."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page())
    else:
        sys.stdout.write(table())
