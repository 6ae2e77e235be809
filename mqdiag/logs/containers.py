"""What docker, containerd and the kubelet say of a container that does not begin, is not well, or goes away.

Source: moby's daemon (libnetwork, containerd's errors), runc 1.0 to 1.2, the kubelet's events of Kubernetes 1.18
to 1.31, docker ps, docker-compose ps, systemctl status.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.endings import ended, exited
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject

_PORT_TAKEN = lazy_pattern(
    r"(?:port is already allocated|address already in use|bind: An attempt was made|[Pp]orts? (?:is|are) not available)"
)
_PORT = lazy_pattern(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\]|::):(\d{2,5})\b|\bport (\d{2,5})\b")
_IMAGE = lazy_pattern(
    r"manifest (?:for|unknown)|pull access denied|repository does not exist|no matching manifest|toomanyrequests"
    r"|failed to resolve reference|TLS handshake timeout|request canceled while waiting for connection|no such host"
)
_STATUS = lazy_pattern(r"\b(?:Exited|Restarting) \((\d{1,3})\)(?= |$)|(?:  |\t)Exit (\d{1,3})\b")
_UNIT_STATUS = lazy_pattern(r"code=exited,? status=(\d{1,3})\b")
_SIGNAL = lazy_pattern(r"signal=(KILL|TERM|ABRT|SEGV|BUS)|status=(?:9/(KILL)|15/(TERM)|6/(ABRT)|11/(SEGV))")
_CODES = {"KILL": 137, "TERM": 143, "ABRT": 134, "SEGV": 139, "BUS": 135}
"""128 + the number of the signal"""
_KILLED_FOR = lazy_pattern(
    r"will be restarted|(?:Liveness|Startup) probe failed|failed (?:liveness|startup) probe"
)

_POD = lazy_pattern(r"(\S{1,253})\s+(\d{1,3})/(\d{1,3})\s+Running\s+(\d{1,6})\b")
MANY_RESTARTS = 10
"""restarts of a pod from which on its container ends again and again"""


def daemon_refused(message: Message, log: LogTally) -> None:
    """The daemon does not make or begin a container: a port, an image, or what the container is made of."""
    text = message.text
    if _PORT_TAKEN.search(text) is not None:
        tally = log.add("start-port-in-use", message, side="broker")
        ports = [int(found[1] or found[2]) for found in _PORT.finditer(text)]
        if tally is not None and ports and ports[-1]:
            tally.keep_largest("port", ports[-1])
    elif _IMAGE.search(text) is not None:
        log.add("container-image-missing", message)
    else:
        log.add("container-not-created", message)


def listed(message: Message, log: LogTally) -> None:
    """A row of docker ps or docker-compose ps has the code with which a container ended; kubectl describe has too."""
    found = _STATUS.search(message.text)
    if found is not None:
        ended(message, log, int(found[1] or found[2]))
    else:
        exited(message, log)


def unit_exited(message: Message, log: LogTally) -> None:
    """The process of a unit ended with a code; for systemd 143 is a failure, though a JVM that it stops leaves so."""
    found = _UNIT_STATUS.search(message.text)
    if found is not None:
        ended(message, log, int(found[1]))


def unit_killed(message: Message, log: LogTally) -> None:
    """A signal ended the process of a unit."""
    found = _SIGNAL.search(message.text)
    if found is not None:
        name = next(filter(None, found.groups()))
        ended(message, log, _CODES[name])


def probe_failed(message: Message, log: LogTally) -> None:
    """A probe of the kubelet gets no good answer; one of liveness or of the start ends the container."""
    kind = "container-probe-failed" if _KILLED_FOR.search(message.text) is not None else "container-not-ready"
    log.add(kind, message)


def pod_runs(message: Message, log: LogTally) -> None:
    """A row of kubectl get pods: all containers run, or one was restarted again and again."""
    found = _POD.match(message.text)
    if found is None:
        return
    name, ready, all_of_them, restarts = found.groups()
    if int(restarts) >= MANY_RESTARTS:
        log.add("container-exited", message, Subject(member=name))
    elif int(restarts) == 0 and ready == all_of_them:
        log.add("harmless-pod-runs", message)
