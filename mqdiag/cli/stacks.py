"""`mqdiag stacks`: a series of thread dumps."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import msgspec

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.options import GATE, JOBS_OPTION, REPORT, CommonOptions, options_of
from mqdiag.cli.common.session import diagnose

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress


@commands.command(
    "stacks",
    short_help="Diagnose thread dumps: which threads hang, on what, and why.",
)
@commands.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@commands.option("--threads", "all_threads", is_flag=True, help="Show all threads, not only those that matter.")
@JOBS_OPTION
@options_of(REPORT, GATE)
def command(files: tuple[str, ...], all_threads: bool, jobs: int, options: CommonOptions) -> int:
    """Diagnose the thread dumps of one JVM: which threads make no progress, on what, and who holds it.

    FILE is the output of jstack, jcmd Thread.print or Thread.dump_to_file, or any log with SIGQUIT output in it;
    it may hold several dumps and be packed (gzip, zip, tar.gz). Five samples some seconds apart tell progress
    from standstill; their order is found from their own times.
    """

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        # Hundreds of thousands of small objects are made, none in cycles: looking for cycles costs a fifth.
        gc.disable()
        from mqdiag.diagnose.sort.route import diagnose_routed_stacks

        return diagnose_routed_stacks(files, msgspec.structs.replace(settings, jobs=jobs), progress)

    return diagnose(options, work, paths=files, all_threads=all_threads)
