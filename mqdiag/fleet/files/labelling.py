"""Signs that folders are not what their places say: an environment in front makes services of environments."""

from __future__ import annotations

from mqdiag.fleet.files.instances import is_environment
from mqdiag.fleet.files.labels import Labels, parse_time
from mqdiag.text import Text, say

_MOST_NAMES = 10_000
"""different names that are counted"""
_EXAMPLES = 3
_SHARE = 2
"""one file in so many must show a sign"""


class Labelling:
    """Counts over the labelled files of a listing."""

    def __init__(self) -> None:
        self._files = 0
        self._of_environments = 0
        self._environments: dict[str, None] = {}
        self._deep = 0
        self._hosts: set[str] = set()
        self._below_hosts: set[str] = set()

    def labelled(self, labels: Labels) -> None:
        """Take a file with its labels."""
        self._files += 1
        if not labels.environment and is_environment(labels.service):
            self._of_environments += 1
            if len(self._environments) < _EXAMPLES:
                self._environments[labels.service] = None

    def by_folders(self, relative: str) -> None:
        """Take the path of a file whose labels are its first two folders."""
        folders = relative.split("/")[:-1]
        if len(folders) < 3 or parse_time(folders[2]) is not None:
            return
        self._deep += 1
        if len(self._below_hosts) < _MOST_NAMES:
            self._hosts.add(folders[1])
            self._below_hosts.add(folders[2])

    def doubts(self) -> tuple[Text, ...]:
        """What looks wrong, with what to try."""
        if self._files and _SHARE * self._of_environments >= self._files:
            return (
                say(
                    "look wrong: services are called {environments}, which are names of environments; with one in front"
                    " --template '{{environment}}/{{service}}/{{host}}/**' labels them",
                    environments=tuple(self._environments),
                ),
            )
        # Folders such as logs and dumps below each host are few, whatever the number of hosts.
        if _SHARE * self._deep >= self._files > 0 and len(self._below_hosts) > len(self._hosts):
            return (
                say(
                    "look wrong: the {hosts:count} folders that are taken for hosts have {below:count} different"
                    " folders below them, as services have; name all folders with --template, such as"
                    " '{{environment}}/{{service}}/{{host}}/**'",
                    hosts=len(self._hosts),
                    below=len(self._below_hosts),
                ),
            )
        return ()
