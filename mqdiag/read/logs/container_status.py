"""Descriptions of pods and containers, which tell how a container ended.

Source: kubectl describe pod, kubectl get pod, its -o yaml and -o json (Kubernetes 1.18 to 1.31), docker inspect and
docker ps, crictl inspect.
"""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern

_DESCRIBED = lazy_pattern(rb"^Containers:[ \r]*$", re.M)
_STATE = lazy_pattern(rb"^ {4}(?:Last )?State: ", re.M)
_LISTED = lazy_pattern(rb"\"?\bcontainerStatuses\"?: ?(?:\[|[\r\n])")
_INSPECTED = lazy_pattern(rb"\"OOMKilled\": ?(?:true|false)\b|\"exitCode\": ?\d{1,3},")
_TABLE = lazy_pattern(rb"^(?:NAMESPACE +)?NAME +READY +STATUS +RESTARTS\b|^CONTAINER ID +IMAGE +", re.M)


def is_container_status(head: bytes) -> bool:
    """Whether a text is such a description.

    Args:
        head: its first bytes.
    """
    if _DESCRIBED.search(head) is not None:
        return _STATE.search(head) is not None
    return any(form.search(head) is not None for form in (_LISTED, _INSPECTED, _TABLE))
