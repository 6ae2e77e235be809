"""Whether a command keeps what it computes of a heap dump, and how much is kept."""

from __future__ import annotations

from mqdiag.cli.common import commands
from mqdiag.cli.common.options import Bundle

CACHE_SIZE = commands.option(
    "--cache-size",
    metavar="SIZE",
    envvar="MQDIAG_CACHE_SIZE",
    help=(
        "Maximum size of all kept files together, such as 20g; 0 keeps nothing.  [default: a tenth of the free disk]"
    ),
)
CACHE: Bundle = (
    commands.option(
        "--no-cache", is_flag=True, help="Use nothing that an earlier run kept of this dump, and keep nothing."
    ),
    CACHE_SIZE,
)
"""options of the commands that build the graph of a dump"""


def cache_bytes(no_cache: bool, size: str | None, dump: str | None = None) -> int | None:
    """Bytes that may be kept of all dumps: None for a share of the disk, 0 for nothing.

    Args:
        no_cache: as given.
        size: as given.
        dump: which is read, if it is one; standard input has no name by which a later run could find it.

    Raises:
        UsageError: the size is none.
    """
    from mqdiag.config import parse_size

    kept = None if size is None else 0 if size.strip() == "0" else parse_size(size)
    return 0 if no_cache or dump == "-" else kept
