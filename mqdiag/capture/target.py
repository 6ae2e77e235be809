"""The process whose evidence is taken, as /proc shows it; reading /proc sends nothing to the process."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mqdiag.errors import EXIT_INPUT, MqdiagError
from mqdiag.text import NOTHING, Text, say

PROC = Path("/proc")
MOST_PROC_BYTES = 4 << 20
SIGQUIT_BIT = 1 << 2
_START_FIELD = 19
"""number of the field of /proc/PID/stat behind the name: `starttime`"""
_CONTAINER = re.compile(r"(?:docker|cri-containerd|crio|libpod|kubepods\S*?)[-/]([0-9a-f]{64})")
_POD = re.compile(r"kubepods")
_JVM_LIBRARY = re.compile(rb"/libjvm\.so\b")
_LIST = say("mqdiag capture lists the JVMs")
_SECRET = re.compile(
    r"pass(?:word|wd|phrase)?|secret|token|credential|(?:access|api|private|sign)[-_.]?key", re.IGNORECASE
)
_SECRET_INSIDE = re.compile(rf"((?:{_SECRET.pattern})\w{{0,20}})=.*", re.IGNORECASE | re.DOTALL)
"""with all that follows, as a password may hold what else ends a value"""


class TargetError(MqdiagError):
    """A process that no evidence can be taken of."""

    exit_code = EXIT_INPUT

    def __init__(self, pid: int, problem: Text, *, hint: Text = NOTHING) -> None:
        self.problem = problem
        self.hint = hint
        what = say("{problem}; {hint}", problem=problem, hint=hint) if hint else problem
        super().__init__(say("process {pid}: {what}", pid=pid, what=what))


@dataclass(frozen=True, kw_only=True)
class Target:
    """A running JVM."""

    pid: int
    inner_pid: int
    """its number in its own pid namespace"""
    uid: int
    gid: int
    command: tuple[str, ...]
    program: str | None
    """the java program, as a path inside the process's own file system"""
    own_files: bool
    """it has another file system than this process: it runs in a container"""
    container: str | None
    """id of the container, where its control group names one"""
    in_pod: bool
    catches_sigquit: bool
    """false: SIGQUIT would end it"""
    started: str | None = None
    """when it began, as the kernel counts it; tells it from a later process with its number"""

    @property
    def user(self) -> str:
        """The name of its user, or the number where there is no name."""
        return user_name(self.uid)

    @property
    def root(self) -> str:
        """Where its file system begins, seen from here."""
        return f"{PROC}/{self.pid}/root" if self.own_files else ""

    @property
    def groups(self) -> list[int]:
        """The groups of its user."""
        try:
            return os.getgrouplist(pwd.getpwuid(self.uid).pw_name, self.gid)
        except KeyError:
            return [self.gid]

    @property
    def is_another_users(self) -> bool:
        """Whether root takes the evidence of somebody else."""
        return os.geteuid() == 0 and self.uid != 0

    @property
    def runs(self) -> bool:
        """Whether it still runs; a new process with its number is another one."""
        folder = PROC / str(self.pid)
        return folder.exists() if self.started is None else _started(folder) == self.started

    @contextmanager
    def with_its_rights(self) -> Iterator[None]:
        """Open files as the process's user would: its options and links may name files that only root can read.

        Raises:
            PermissionError: this container's root may not take the rights of another user.
        """
        if not self.is_another_users:
            yield
            return
        groups, group = os.getgroups(), os.getegid()
        try:
            os.setgroups(self.groups)
            os.setegid(self.gid)
            os.seteuid(self.uid)
            yield
        finally:
            os.seteuid(0)
            os.setegid(group)
            os.setgroups(groups)


def user_name(uid: int) -> str:
    """A user's name, or the number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def find_target(pid: int) -> Target:
    """Look at a process.

    Raises:
        TargetError: there is none, it is no JVM, or this user may not look at it.
    """
    folder = PROC / str(pid)
    if not PROC.joinpath("self").exists():
        raise TargetError(
            pid, say("there is no /proc here; take the evidence with jstack and give it to mqdiag diagnose")
        )
    try:
        status = _status(folder)
        owner = folder.stat()
        command = _text(folder / "cmdline").rstrip("\0").split("\0")
    except (FileNotFoundError, ProcessLookupError):
        raise TargetError(pid, say("there is no such process"), hint=_LIST) from None
    real = int(status.get("Uid", f"{owner.st_uid}").split()[0])
    if os.geteuid() not in (0, real):
        who = user_name(real)
        if real == 0:
            problem = say("it belongs to user {user}, and only {user} may look into it", user=who)
            raise TargetError(pid, problem, hint=say("sudo mqdiag capture {pid}", pid=pid))
        problem = say("it belongs to user {user}, and only {user} or root may look into it", user=who)
        raise TargetError(pid, problem, hint=say("sudo -u {user} mqdiag capture {pid}", user=who, pid=pid))
    try:
        is_jvm = _is_jvm(folder)
    except OSError as error:
        raise TargetError(
            pid,
            say(
                "its memory map, which shows whether it is a JVM, cannot be read: {reason}",
                reason=error.strerror,
            ),
        ) from None
    if not is_jvm:
        shown = Path(command[0]).name if command[0] else status.get("Name", "?")
        raise TargetError(pid, say("it is not a JVM but {program}", program=shown), hint=_LIST)
    group = int(status.get("Gid", str(owner.st_gid)).split()[0])
    control_groups = _text(folder / "cgroup", missing="")
    container = _CONTAINER.search(control_groups)
    return Target(
        pid=pid,
        inner_pid=int(status.get("NSpid", str(pid)).split()[-1]),
        uid=real,
        gid=group,
        command=tuple(command),
        program=_link(folder / "exe"),
        own_files=_link(folder / "ns" / "mnt") != _link(PROC / "self" / "ns" / "mnt"),
        container=container[1] if container else None,
        in_pod=_POD.search(control_groups) is not None,
        catches_sigquit=bool(int(status.get("SigCgt", "0"), 16) & SIGQUIT_BIT),
        started=_started(folder),
    )


def is_stopped(pid: int) -> bool:
    """Whether a signal or a debugger has stopped it, so that it answers nothing."""
    try:
        return _status(PROC / str(pid)).get("State", "")[:1] in ("T", "t")
    except OSError:
        return False


def running_jvms() -> list[Target]:
    """All JVMs that this user may look at, by pid."""
    found = []
    for entry in sorted(PROC.iterdir(), key=lambda path: path.name.zfill(20)):
        if entry.name.isdigit():
            try:
                found.append(find_target(int(entry.name)))
            except (TargetError, OSError, ValueError):
                continue
    return found


def shown_command(command: tuple[str, ...]) -> list[str]:
    """A command line whose secrets are hidden: values of settings that are named like passwords.

    Such a name may be an argument of its own, before its value, or stand inside an argument, as in a URL.
    """
    shown = []
    before = ""
    for part in command:
        name, sign, _ = part.partition("=")
        if before.startswith("-") and "=" not in before and _SECRET.search(before) and part[:1] != "-":
            shown.append("(hidden)")
        elif sign and _SECRET.search(name):
            shown.append(f"{name}=(hidden)")
        else:
            shown.append(_SECRET_INSIDE.sub(r"\1=(hidden)", part))
        before = part
    return shown


def _is_jvm(folder: Path) -> bool:
    with (folder / "maps").open("rb") as maps:
        return any(_JVM_LIBRARY.search(line) for line in maps)


def _status(folder: Path) -> dict[str, str]:
    lines = (line.partition(":") for line in _text(folder / "status").splitlines())
    return {name: value.strip() for name, _, value in lines}


def _started(folder: Path) -> str | None:
    """Clock ticks from the start of the machine to that of the process; None if it is gone."""
    # The name, which the process chooses, is in brackets and may hold blanks and brackets.
    _, _, rest = _text(folder / "stat", missing="").rpartition(")")
    fields = rest.split()
    return fields[_START_FIELD] if len(fields) > _START_FIELD else None


def _text(path: Path, *, missing: str | None = None) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MOST_PROC_BYTES).decode("utf-8", "replace")
    except OSError:
        if missing is None:
            raise
        return missing


def _link(path: Path) -> str | None:
    try:
        return str(path.readlink())
    except OSError:
        return None
