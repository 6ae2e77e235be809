"""Which evidence it is, wherever it lies and whatever it is called."""

from __future__ import annotations

import hashlib

from mqdiag.fleet.files.incidents import IncidentFile
from mqdiag.fleet.files.storage import storage

WHOLE = 4 << 20
"""bytes up to which a file is read whole"""
SAMPLES = 32
BLOCK = WHOLE // SAMPLES
HEAD = 512
"""bytes that stay as they are while a file is written: the time of a dump is among them"""


def content_fingerprint(file: IncidentFile) -> str:
    """Hash of a file's size and content; of a large one, of 32 blocks spread over it, first and last included.

    A dump's header carries its time and a gzip file ends with a checksum of all of it, so two dumps that differ
    anywhere differ in these blocks. A file that cannot be read has the fingerprint of its name: the analysis
    will say why.
    """
    digest = hashlib.blake2b(f"{file.bytes}\0".encode(), digest_size=16)
    try:
        store, path = storage(file.uri)
        with store.open(path) as stream:
            if file.bytes <= WHOLE:
                digest.update(stream.read(WHOLE))
            else:
                step = (file.bytes - BLOCK) / (SAMPLES - 1)
                for sample in range(SAMPLES):
                    stream.seek(int(sample * step))
                    digest.update(stream.read(BLOCK))
    except OSError:
        digest.update(file.uri.encode())
    return digest.hexdigest()


def head_fingerprint(file: IncidentFile) -> str | None:
    """Hash of the first bytes of a file, by which it is known again when it has grown.

    None where they cannot be read, or there are too few yet.
    """
    try:
        store, path = storage(file.uri)
        with store.open(path) as stream:
            head = stream.read(HEAD)
    except OSError:
        return None
    return hashlib.blake2b(head, digest_size=8).hexdigest() if len(head) == HEAD else None
