"""The table of libraries: which library a frame belongs to.

To add one: an entry in the file of its kind, with the prefixes of its own frames (never of the classes that call it),
the setting that bounds the wait, and the repository or the real stack where the frames were read. Its packages belong
into `mqdiag/read/stacks/library_packages.py` too. `docs/libraries.md` lists all of them.
"""

from __future__ import annotations

from functools import lru_cache

from mqdiag.threads.libraries.bridges import BRIDGES
from mqdiag.threads.libraries.caches import CACHES
from mqdiag.threads.libraries.clouds import CLOUDS
from mqdiag.threads.libraries.coordination import COORDINATION
from mqdiag.threads.libraries.databases import DATABASES
from mqdiag.threads.libraries.files_and_mail import FILES_AND_MAIL
from mqdiag.threads.libraries.frameworks import FRAMEWORKS
from mqdiag.threads.libraries.http_clients import HTTP_CLIENTS
from mqdiag.threads.libraries.library import Library
from mqdiag.threads.libraries.messaging import MESSAGING
from mqdiag.threads.libraries.pauses import PAUSES
from mqdiag.threads.libraries.pools import POOLS
from mqdiag.threads.libraries.rpc import RPC_CLIENTS
from mqdiag.threads.libraries.search import SEARCH

KINDS: tuple[tuple[str, tuple[Library, ...]], ...] = (
    ("Connection pools", POOLS),
    ("Databases", DATABASES),
    ("Caches and key-value stores", CACHES),
    ("HTTP clients", HTTP_CLIENTS),
    ("Search", SEARCH),
    ("Remote procedure calls", RPC_CLIENTS),
    ("Messaging", MESSAGING),
    ("Coordination and configuration", COORDINATION),
    ("Files, mail and directories", FILES_AND_MAIL),
    ("Clouds and payment", CLOUDS),
    ("Bridges from asynchronous code", BRIDGES),
    ("Rate limits and retries", PAUSES),
    ("Frameworks", FRAMEWORKS),
)
"""all libraries under the headings of docs/libraries.md; of two entries that fit a frame the first one holds"""
LIBRARIES: tuple[Library, ...] = tuple(library for _, libraries in KINDS for library in libraries)
_ALL_PREFIXES = tuple(prefix for library in LIBRARIES for prefix in library.frames)
_CLIENTS = tuple(library for library in LIBRARIES if library.kind != "pool")


@lru_cache(maxsize=65_536)
def pool_of_frame(method: str) -> Library | None:
    """The connection pool in which a thread in this method waits."""
    return _first(POOLS, method) if method.startswith(_ALL_PREFIXES) else None


@lru_cache(maxsize=65_536)
def library_of_frame(method: str) -> Library | None:
    """The library that a method belongs to; connection pools only count where a thread waits in them."""
    return _first(_CLIENTS, method) if method.startswith(_ALL_PREFIXES) else None


def _first(libraries: tuple[Library, ...], method: str) -> Library | None:
    return next((library for library in libraries if method.startswith(library.frames)), None)
