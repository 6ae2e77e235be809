"""Whether a thread reads on in an answer that has begun, by the streams that HTTP clients wrap around a body."""

from __future__ import annotations

from mqdiag.threads.view import View

BODIES = (
    # HttpURLConnection; Apache HttpClient 4 and 5; OkHttp
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
