"""`mqdiag logs`: logs of clients, brokers, applications and the JVM."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.options import CommonOptions, common_options
from mqdiag.cli.common.session import diagnose
from mqdiag.errors import UsageError

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.progress import Progress

_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d\d)?|Z|UTC")

EXAMPLES = """\b
Examples:
  mqdiag logs rocketmq_client.log
  mqdiag logs broker.log store.log storeerror.log
  mqdiag logs rocketmq_client.log --utc-offset +08:00
  mqdiag logs gc.log --format json -o gc.json

\b
Mind:
  RocketMQ writes its logs to ~/logs/rocketmqlogs; a client that logs through
  slf4j writes them where its application does. Give all files of one process
  together, rotated ones too: the order is found from their lines.
"""


@click.command(
    "logs",
    short_help="Diagnose logs: what a broker or a consumer went through, and when.",
    epilog=EXAMPLES,
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@click.option(
    "--utc-offset",
    metavar="+HH:MM",
    help="Zone of logs that do not tell theirs: 4.x clients and most applications print local time.",
)
@common_options
def command(files: tuple[str, ...], utc_offset: str | None, options: CommonOptions) -> int:
    """Diagnose logs: flow control, busy brokers, offsets, replicas, retries, memory and collections, over time.

    FILE is rocketmq_client.log, broker.log, store.log, storeerror.log, watermark.log, stats.log, an application's log
    or a GC log; rotated, packed (gzip, zip, tar.gz), in any order and behind any prefix. Lines are told by their
    message text. RocketMQ's brokers and 5.x clients print GMT+8 on any host, which is allowed for.
    """
    minutes = None if utc_offset is None else _minutes(utc_offset)

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        from mqdiag.diagnose.logs import diagnose_logs

        return diagnose_logs(files, settings, utc_offset_minutes=minutes, progress=progress)

    return diagnose(options, work)


def _minutes(text: str) -> int:
    found = _OFFSET.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--utc-offset {text!r} is not +HH:MM, such as +08:00")
    if found[1] is None:
        return 0
    minutes = int(found[2]) * 60 + int(found[3] or 0)
    if minutes > 14 * 60 or int(found[3] or 0) > 59:
        raise UsageError(f"--utc-offset {text!r}: no zone is further from UTC than 14 hours")
    return -minutes if found[1] == "-" else minutes
