"""`mqdiag diagnose`: everything that was kept of an incident."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import msgspec

from mqdiag.cli.common import commands
from mqdiag.cli.common.cache_options import CACHE
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.options import GATE, HEAP, JOBS_OPTION, REPORT, CommonOptions, options_of
from mqdiag.cli.common.session import diagnose
from mqdiag.cli.common.utc_offset import offset_minutes, utc_offset_option

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress


@commands.command(
    "diagnose",
    short_help="Diagnose all evidence of an incident: one verdict out of everything.",
)
@commands.argument("paths", nargs=-1, required=True, metavar="PATH...", shell_complete=complete_files)
@commands.option("--threads", "all_threads", is_flag=True, help="Show all threads, not only those that matter.")
@utc_offset_option
@JOBS_OPTION
@options_of(REPORT, GATE, HEAP, CACHE)
def command(
    paths: tuple[str, ...], all_threads: bool, utc_offset: str | None, jobs: int, options: CommonOptions
) -> int:
    """Diagnose everything under PATH...: files, folders and archives, told apart by their content.

    Heap dumps, thread dumps and logs of one process are joined into one verdict with its chain of causes; evidence of
    several processes is kept apart. Files that hold no evidence are left alone and listed with the reason. If PATH is
    a number and not a file, the JVM with that process id is captured first, as mqdiag capture does.
    """
    minutes = offset_minutes(utc_offset)
    paths = tuple(map(_captured, paths))

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        # As for stacks: thread dumps make hundreds of thousands of small objects, none in cycles.
        gc.disable()
        from mqdiag.diagnose.incident import diagnose_incident

        own = msgspec.structs.replace(settings, utc_offset_minutes=minutes, jobs=jobs)
        return diagnose_incident(paths, own, progress=progress)

    return diagnose(options, work, paths=paths, all_threads=all_threads)


def _captured(path: str) -> str:
    """The evidence of a JVM that is named by its process id, taken now; other paths as they are."""
    if not path.isdecimal() or os.path.exists(path):
        return path
    from mqdiag.capture.run import CaptureOptions, capture
    from mqdiag.cli.capture import tell

    taken = capture(int(path), CaptureOptions(until_deadlock=True), tell, lambda _, __: False)
    return str(taken.folder)
