"""`mqdiag recording`: recordings of Java Flight Recorder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.options import GATE, REPORT, CommonOptions, options_of
from mqdiag.cli.common.session import diagnose

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress


@commands.command(
    "recording",
    short_help="Diagnose flight recordings: where threads spent their time.",
)
@commands.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@options_of(REPORT, GATE)
def command(files: tuple[str, ...], options: CommonOptions) -> int:
    """Diagnose recordings of Java Flight Recorder: calls by peer, locks, what consume threads did with their time.

    FILE is what jcmd JFR.dump wrote, on JDK 8 to 25, packed or not. The thread dumps inside are read as samples.
    Calls that have not ended have no event: thread dumps and samples of native code show those.
    """

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        from mqdiag.diagnose.sort.route import diagnose_routed_recordings

        return diagnose_routed_recordings(files, settings, progress)

    return diagnose(options, work, paths=files)
