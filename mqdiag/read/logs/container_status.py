"""Descriptions of pods and containers, which tell how a container ended.

Source: kubectl describe pod, kubectl get pod and events, their -o yaml and -o json (Kubernetes 1.18 to 1.31), docker
inspect and docker ps, podman inspect, crictl inspect, aws ecs describe-tasks, nomad alloc status.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern

_DESCRIBED = lazy_pattern(r"(?m)^[ \t]*+Containers:[ \r]*$")
_STATE = lazy_pattern(r"(?m)^[ \t]+(?:Last )?State: ")
_DOCUMENT = (
    lazy_pattern(r"containerStatuses\"?: ?(?:\[|[\r\n])"),
    lazy_pattern(r"(?m)^[ \t]*+(?:- )?\"?kind\"?: ?\"?(?:Pod|Event)\b"),
    # in one line, and no record of an audit
    lazy_pattern(r"\A\s*\{\"(?:kind|apiVersion|items)\": ?(?!.{0,80}?\baudit\.k8s\.io)"),
    lazy_pattern(
        r"\"(?:OOMKilled\": ?(?:true|false)\b|exitCode\": ?\d{1,3},|(?:stoppedReason|stopCode)\": ?\")"
    ),
)
_TABLE = lazy_pattern(
    r"(?m)^[ \t]*+(?:(?:NAMESPACE +)?NAME +READY +STATUS +RESTARTS\b|CONTAINER ID +IMAGE +|LAST SEEN +TYPE +REASON )"
)
_NOT_WELL = lazy_pattern(
    # rows of kubectl get pods and of docker ps
    r"(?m)^[ \t]*+(?:[\w.-]{1,253} {1,40})?[\w.-]{1,253} {1,200}"
    r"(?!(\d{1,3})/\1 +(?:Running +\d\b|Completed\b)|0/\d{1,3} +Completed\b)\d{1,3}/\d{1,3} "
    r" *[A-Z][\w:]{3,60} +\d{1,6}\b"
    r"|^[ \t]*+[\da-f]{12,64} .{0,300}? (?:Exited|Restarting) \((?!0\))\d{1,3}\)"
)
_EXCERPT = lazy_pattern(
    r"(?m)^[ \t]*+(?:(?:Last )?State: +(?:Terminated|Waiting)\b|Reason: +(?!Completed\b)[A-Z][A-Za-z]{3,40}[ \r]*$"
    r"|(?:- )?\"?reason\"?: ?\"?(?:OOMKilled|OOMKilling|SystemOOM|Evicted)\b"
    r"|(?:- )?\"?exitCode\"?: ?(?!0\b)\d{1,3}\b"
    r"|(?:\S{1,20} +)?(?:Warning|Normal) +[A-Z][A-Za-z]{3,40} +\S)"
)
_CODE = lazy_pattern(r"(?m)Exit Code: +(?!0\b)\d{1,3}(?:[ \r]*$|, Exit Message: )")


def is_container_status(text: str) -> bool:
    """Whether a text is such a description as a whole.

    Args:
        text: its beginning.
    """
    if _DESCRIBED.search(text) is not None:
        return _STATE.search(text) is not None
    return any(form.search(text) is not None for form in (*_DOCUMENT, _TABLE))


def has_row_of_trouble(text: str) -> bool:
    """Whether a text has a row of a container that does not run well, whatever its status is called."""
    return _NOT_WELL.search(text) is not None


def has_status_lines(text: str) -> bool:
    """Whether a text has lines that somebody cut out of such a description, because a container is not well."""
    return has_row_of_trouble(text) or any(form.search(text) is not None for form in (_EXCERPT, _CODE))
