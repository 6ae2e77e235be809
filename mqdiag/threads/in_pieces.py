"""Calls that cost CPU time in small pieces though they do not come to an end: by frames that do nothing else."""

from __future__ import annotations

from mqdiag.threads.view import View
from mqdiag.threads.wait_table import STEPPED_WAITS

BODIES = (
    # the streams that HttpURLConnection, Apache HttpClient 4 and 5 and OkHttp wrap around the body of an answer
    ".MeteredStream.read",
    ".ChunkedInputStream.read",
    ".ContentLengthInputStream.read",
    ".IdentityInputStream.read",
    "$FixedLengthSource.read",
    "$ChunkedSource.read",
    "$UnknownLengthSource.read",
)


def reads_body(view: View) -> bool:
    """True in the midst of an answer over HTTP."""
    return view.doing == "socket-read" and any(method.endswith(BODIES) for method in view.methods)


def waits_in_steps(view: View) -> bool:
    """True in a library that looks again and again whether it still has to wait."""
    return view.waits and any(method.startswith(STEPPED_WAITS) for method in view.methods)
