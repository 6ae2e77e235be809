"""`mqdiag diff`: what changed from one piece of evidence to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.options import GATE, HEAP, REPORT, CommonOptions, options_of
from mqdiag.cli.common.session import diagnose

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress


@commands.command(
    "diff",
    short_help="Compare two dumps or saved reports: what grew, what is new, what is gone.",
)
@commands.argument("before", shell_complete=complete_files)
@commands.argument("after", shell_complete=complete_files)
@options_of(REPORT, GATE, HEAP)
def command(before: str, after: str, options: CommonOptions) -> int:
    """Compare BEFORE with AFTER: growth by class and by holder, settings, findings that came, went or changed.

    Each is a heap dump, a folder of evidence, or what --format json saved of any command. The exit code goes by what
    is new or worse in AFTER: 1 when such a finding reaches --fail-on.
    """

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        from mqdiag.diagnose.diff import diagnose_diff

        return diagnose_diff(before, after, settings, progress=progress)

    return diagnose(options, work, paths=(before, after))
