"""`mqdiag logs`: logs of clients, brokers, applications and the JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.options import GATE, JOBS_OPTION, REPORT, CommonOptions, options_of
from mqdiag.cli.common.session import diagnose
from mqdiag.cli.common.utc_offset import offset_minutes, utc_offset_option

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress


@commands.command(
    "logs",
    short_help="Diagnose logs: what a broker or a consumer went through, and when.",
)
@commands.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@utc_offset_option
@JOBS_OPTION
@options_of(REPORT, GATE)
def command(files: tuple[str, ...], utc_offset: str | None, jobs: int, options: CommonOptions) -> int:
    """Diagnose logs: flow control, busy brokers, offsets, replicas, retries, memory and collections, over time.

    FILE is rocketmq_client.log, broker.log, store.log, storeerror.log, watermark.log, stats.log, an application's log
    or a GC log; rotated, packed (gzip, zip, tar.gz), in any order and behind any prefix. Lines are known by their
    message text. RocketMQ's brokers and 5.x clients print GMT+8 on any host, which is allowed for.
    """
    minutes = offset_minutes(utc_offset)

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        from mqdiag.diagnose.sort.route import diagnose_routed_logs

        own = msgspec.structs.replace(settings, utc_offset_minutes=minutes, jobs=jobs)
        return diagnose_routed_logs(files, own, progress)

    return diagnose(options, work, paths=files)
