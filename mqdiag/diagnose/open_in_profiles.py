"""What collapsed stacks leave open: they have no times, so they never prove that all is well."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.profiles import ProfilesFacts
from mqdiag.findings import Report
from mqdiag.text import Text, say


def open_in_profiles(report: Report, profiles: ProfilesFacts) -> Iterator[Text]:
    """Why they prove nothing where they are all that there is; what else there is answers for itself."""
    others = (report.heap, report.stacks, report.logs, report.recordings)
    for profile in profiles.profiles:
        if profile.counts_objects:
            yield say(
                "{path} counts objects or waits for locks, not time; record it with the event cpu or wall.",
                path=profile.path,
            )
        elif all(other is None for other in others):
            yield _of_time(profile.path, threads=profile.threads, groups=len(profile.groups))


def _of_time(path: str, *, threads: int | None, groups: int) -> Text:
    if threads is None:
        return say(
            "{path} does not separate threads, so it does not show what consume threads did; record it by thread"
            " (async-profiler: -t).",
            path=path,
        )
    if not groups:
        return say("{path} shows no consume thread of RocketMQ.", path=path)
    return say(
        "{path} shows shares of samples and no times, so it does not show whether threads go on.", path=path
    )
