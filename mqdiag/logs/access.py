"""Requests that the broker's access control refuses.

Source: PlainPermissionManager.validate and PlainPermissionManager.checkPerm of acl (4.4.0 to 5.3.x), AclSigner; for
"valid permission failed" and "signature validate failed", answers of Alibaba Cloud's service in public threads.
"""

from __future__ import annotations

from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message

_KINDS = (
    ("No accessKey is configured", "access-no-key"),
    ("unable to calculate a request signature", "access-cannot-sign"),
    ("Check signature failed", "access-wrong-signature"),
    ("signature validate failed", "access-wrong-signature"),
    ("No acl config for", "access-unknown-key"),
)


def refused(message: Message, log: LogTally) -> None:
    """The reason, as the broker logs it and as the client gets it."""
    if message.text.lstrip().startswith("at "):
        return
    kind = next((kind for words, kind in _KINDS if words in message.text), "access-no-permission")
    log.add(kind, message)
