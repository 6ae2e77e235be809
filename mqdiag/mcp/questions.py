"""What the tools answer: the reports and rows of the command line, as JSON and a short text."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from mqdiag.config import Settings
from mqdiag.errors import NO_NAME, MqdiagError, UsageError
from mqdiag.language import english
from mqdiag.mcp.folders import Folders
from mqdiag.mcp.shortened import rows_that_fit, short_text, shortened
from mqdiag.progress import Progress
from mqdiag.render import UNWRAPPED, Detail, View, renderer
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.findings import Report

MOST_ROWS = 1000
MOST_PATHS = 1000
"""paths of one question; a folder is one, however many files it has"""
QUERY_S = 55.0
"""after which a query is interrupted; with the grace to end by itself, it has 60 s in all"""


class Watch(Protocol):
    """Bounds the time and memory of a run over some files."""

    def __call__(
        self, paths: Sequence[str], /, *, more_cpu_s: float = 0.0, more_memory_bytes: int = 0
    ) -> AbstractContextManager[Progress]:
        """The progress to tell.

        Args:
            paths: the files.
            more_cpu_s: what the run may take beyond the work on its files.
            more_memory_bytes: the same.
        """


class SettingsOf(Protocol):
    """Puts what an assistant asks for over the configuration file."""

    def __call__(self, expect: Sequence[str] = (), heap_limit: str | None = None, /) -> Settings:
        """The settings.

        Args:
            expect: RocketMQ's settings as intended, each as `[GROUP:]KEY=VALUE`.
            heap_limit: the JVM's -Xmx.

        Raises:
            UsageError: one of them is none.
        """


class Answer(msgspec.Struct, frozen=True):
    """An answer to a tool."""

    text: str
    """what a person would read: many programs hand a model nothing else"""
    values: dict[str, Any]
    """the same for programs, as much as fits"""


class Questions:
    """Answers one question at a time, so that two of them never share the machine's memory.

    Args:
        folders: whose files may be read.
        redact: hide what reports hide with `--redact`.
        cache_bytes: what may be kept of heap dumps; see `open_heap`.
        watch: bounds a run.
        settings_of: the settings of a diagnosis.
    """

    def __init__(
        self,
        folders: Folders,
        *,
        redact: bool,
        cache_bytes: int | None,
        watch: Watch,
        settings_of: SettingsOf,
    ) -> None:
        self._folders, self._redact, self._cache_bytes, self._watch = folders, redact, cache_bytes, watch
        self._settings_of = settings_of
        self._one_at_a_time = threading.Lock()

    def diagnose(
        self, paths: list[str], expect: list[str], heap_limit: str | None, detail: Detail = "normal"
    ) -> Answer:
        """As `mqdiag diagnose`."""
        from mqdiag.diagnose.incident import diagnose_incident

        allowed, settings = self._allowed(paths), self._settings_of(expect, heap_limit)
        return self._report(
            allowed, lambda progress: diagnose_incident(allowed, settings, progress=progress).report, detail
        )

    def heap(
        self, path: str, quick: bool, expect: list[str], heap_limit: str | None, detail: Detail = "normal"
    ) -> Answer:
        """As `mqdiag heap`."""
        from mqdiag.diagnose.heap import diagnose_heap

        (allowed,), settings = self._allowed([path]), self._settings_of(expect, heap_limit)
        return self._report(
            [allowed],
            lambda progress: diagnose_heap(allowed, settings, quick=quick, progress=progress).report,
            detail,
        )

    def stacks(self, paths: list[str], detail: Detail = "normal") -> Answer:
        """As `mqdiag stacks`."""
        from mqdiag.diagnose.sort.route import diagnose_routed_stacks

        allowed, settings = self._allowed(paths), self._settings_of()
        return self._report(
            allowed, lambda progress: diagnose_routed_stacks(allowed, settings, progress).report, detail
        )

    def logs(self, paths: list[str], detail: Detail = "normal") -> Answer:
        """As `mqdiag logs`."""
        from mqdiag.diagnose.sort.route import diagnose_routed_logs

        allowed, settings = self._allowed(paths), self._settings_of()
        return self._report(
            allowed, lambda progress: diagnose_routed_logs(allowed, settings, progress).report, detail
        )

    def show(self, path: str, what: str, limit: int) -> Answer:
        """As `mqdiag show`."""
        from mqdiag.diagnose.show import show_in_heap

        (allowed,) = self._allowed([path])
        return self._report(
            [allowed],
            lambda progress: show_in_heap(
                allowed, what, limit=limit, progress=progress, cache_bytes=self._cache_bytes
            ),
            detail="normal",
        )

    def query(
        self,
        path: str,
        sql: str | None,
        limit: int,
        recipe: str | None = None,
        values: Mapping[str, str] | None = None,
    ) -> Answer:
        """As `mqdiag query`, with `limit` rows at most, of SQL or of a ready query with its values."""
        from mqdiag.query import refuse_without_packages

        refuse_without_packages()
        from mqdiag.mcp.rows import RowsRequest, rows_of
        from mqdiag.query.formats import row_writer
        from mqdiag.query.recipes import recipe as recipe_named
        from mqdiag.query.session import Limits

        if sql is None and recipe is not None:
            sql = recipe_named(recipe).sql
        elif sql is None or recipe is not None:
            raise UsageError(say("give sql or recipe, one of them"))
        (allowed,) = self._allowed([path])
        asked = RowsRequest(
            path=allowed,
            sql=sql,
            values=dict(values or {}),
            limit=limit,
            hide=self._redact,
            limits=Limits(seconds=QUERY_S),
            cache_bytes=self._cache_bytes,
        )
        more_cpu_s, more_memory_bytes = asked.limits.cpu_s, asked.limits.memory_bytes
        with (
            self._one_at_a_time,
            self._watch([allowed], more_cpu_s=more_cpu_s, more_memory_bytes=more_memory_bytes) as progress,
        ):
            found = rows_of(asked, progress.check)
        rows = list(rows_that_fit(found.rows))
        more = found.more or len(rows) < len(found.rows)
        lines = "".join(row_writer("table")(found.columns, [list(row.values()) for row in rows]))
        ends = f"{len(rows):,} rows{'; there are more' if more else ''}"
        problem = "" if found.problem is None else f"{found.problem}\n"
        return Answer(f"{problem}{lines}{ends}\n", {"rows": rows, "more": more, "problem": found.problem})

    def rules(self, name: str | None) -> Answer:
        """As `mqdiag rules`: all, or one with its texts."""
        from mqdiag.report_json import encoded
        from mqdiag.rules.catalogue import rule_files
        from mqdiag.spelling import did_you_mean, nearest

        rules = {rule.name: rule for rule in rule_files()}
        if name is None:
            listed = [{"name": rule, "title": english()(one.card.title)} for rule, one in rules.items()]
            return Answer("\n".join(f"{one['name']}: {one['title']}" for one in listed), {"rules": listed})
        if name not in rules:
            problem = say("there is no rule {name}", name=repr(name))
            raise UsageError(did_you_mean(problem, nearest(name, rules)))
        from mqdiag.render.text.cards import render_card

        card = rules[name].card
        return Answer(
            render_card(card, rules[name].cases, View(width=UNWRAPPED)),
            shortened({"rules": [msgspec.to_builtins(card, enc_hook=encoded)]}),
        )

    def _allowed(self, paths: list[str]) -> list[str]:
        if len(paths) > MOST_PATHS:
            raise UsageError(
                say(
                    "{paths:count} paths are too many; give {most:count} at most, or the folder that they are in",
                    paths=len(paths),
                    most=MOST_PATHS,
                )
            )
        return list(dict.fromkeys(self._folders.allowed(path) for path in dict.fromkeys(paths)))

    def _report(self, paths: list[str], work: Callable[[Progress], Report], detail: Detail) -> Answer:
        with self._one_at_a_time, self._watch(paths) as progress:
            report = work(progress)
        if not any(given.was_read for given in report.inputs):
            errors = [
                say("{path}: {error}", path=given.path or NO_NAME, error=given.error)
                for given in report.inputs
                if given.error is not None
            ]
            raise MqdiagError(errors[0] if errors else say("nothing there is evidence"))
        if self._redact:
            from mqdiag.redact.report import redact_report

            report = redact_report(report)
        view = View(width=UNWRAPPED, detail=detail)
        document = msgspec.json.decode(renderer("json")(report, view), type=dict)
        return Answer(short_text(renderer("text")(report, view)), shortened(document))
