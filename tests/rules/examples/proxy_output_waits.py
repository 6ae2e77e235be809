from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.servers import NettyMemory, UnsentOutput
from tests.rules.examples.proxy import example

MIB = 1 << 20


def _facts(unsent_bytes: int) -> Facts:
    peer = UnsentOutput(peer="10.0.0.7:50412", unsent_bytes=unsent_bytes)
    return example(
        netty=NettyMemory(
            chunks=40,
            chunk_bytes=160 * MIB,
            used_bytes=150 * MIB,
            unsent_bytes=unsent_bytes,
            unsent_streams=3,
            unsent=(peer,),
        )
    )


def fires() -> Facts:
    """140 MiB wait, where heap and direct memory may take 1 GiB each."""
    return _facts(140 * MIB)


def silent() -> Facts:
    """2 MiB wait, as for a moment in any large answer."""
    return _facts(2 * MIB)
