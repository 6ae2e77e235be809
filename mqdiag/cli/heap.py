"""`mqdiag heap`: one heap dump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqdiag.cli.common import commands
from mqdiag.cli.common.cache_options import CACHE
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.given_file import given_file
from mqdiag.cli.common.options import GATE, HEAP, REPORT, CommonOptions, options_of
from mqdiag.cli.common.session import diagnose
from mqdiag.progress import answer_first

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress


@commands.command("heap", short_help="Diagnose a heap dump: who holds the memory, and why.")
@commands.argument("dump", shell_complete=complete_files)
@commands.option("--quick", is_flag=True, help="Histogram and counts only, without the object graph.")
@commands.option("--threads", "all_threads", is_flag=True, help="Show all threads of the dump.")
@commands.option("--max-inflated", metavar="SIZE", help="Maximum uncompressed size of a gzip dump, e.g. 64g.")
@commands.option(
    "--memory",
    metavar="SIZE",
    help=(
        "Maximum memory for the object graph, e.g. 8g; the rest goes to temporary files.  [default: most "
        "of the free memory]"
    ),
)
@options_of(REPORT, GATE, HEAP, CACHE)
def command(
    dump: str,
    quick: bool,
    all_threads: bool,
    max_inflated: str | None,
    memory: str | None,
    options: CommonOptions,
) -> int:
    """Diagnose DUMP, an .hprof or .hprof.gz file: who holds the memory, and why.

    The verdict comes first, then its evidence and what to change, then the consumers, queues and classes.
    """

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        # Here, not above: help needs none of them, and the last takes numpy with it.
        from mqdiag.read.mapped_ahead import map_ahead
        from mqdiag.user_folders import dumps_folder

        map_ahead(dump, None if quick or settings.cache_bytes == 0 else dumps_folder())
        from mqdiag.config import parse_size
        from mqdiag.diagnose.heap import diagnose_heap

        limit = None if max_inflated is None else parse_size(max_inflated)
        memory_bytes = None if memory is None else parse_size(memory)
        with given_file(dump) as path:
            return diagnose_heap(
                path,
                settings,
                quick=quick,
                name=dump,
                progress=progress,
                max_inflated=limit,
                memory_bytes=memory_bytes,
            )

    with answer_first():
        return diagnose(options, work, paths=(dump,), all_threads=all_threads)
