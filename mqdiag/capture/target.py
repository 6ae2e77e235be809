"""The process that evidence is taken of, as /proc shows it: nothing is sent to it to find out."""

from __future__ import annotations

import os
import pwd
import re
from dataclasses import dataclass
from pathlib import Path

from mqdiag.errors import InputError

PROC = Path("/proc")
MOST_PROC_BYTES = 4 << 20
MOST_LINKS = 40
SIGQUIT_BIT = 1 << 2
_CONTAINER = re.compile(r"(?:docker|cri-containerd|crio|libpod|kubepods\S*?)[-/]([0-9a-f]{64})")
_POD = re.compile(r"kubepods")
_JVM_LIBRARY = re.compile(rb"/libjvm\.so\b")
_SECRET = re.compile(r"(?i)(pass(?:word|wd)?|secret|token|credential|access-?key)")


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

    @property
    def user(self) -> str:
        """The name of its user, or the number where there is no name."""
        return user_name(self.uid)

    @property
    def root(self) -> str:
        """Where its file system begins, seen from here."""
        return f"{PROC}/{self.pid}/root" if self.own_files else ""

    def seen_from_here(self, path: str) -> str:
        """A path of the process, as this process can open it.

        Links of a container are followed inside it: to the kernel an absolute one would begin at the root of whoever
        opens it, and lead to a file of the host.
        """
        return self.root + _without_links(self.root, path) if self.own_files else path


def _without_links(root: str, path: str) -> str:
    """The path below a root with all links resolved there; what is not there stays as it is."""
    done, left, links = "/", [part for part in reversed(path.split("/")) if part], 0
    while left:
        part = left.pop()
        if part in (".", ".."):
            done = os.path.dirname(done) if part == ".." else done
            continue
        here = os.path.join(done, part)
        try:
            link = os.readlink(root + here)
        except OSError:
            done = here
            continue
        links += 1
        if links > MOST_LINKS:
            return here
        done = "/" if link.startswith("/") else done
        left += [other for other in reversed(link.split("/")) if other]
    return done


def user_name(uid: int) -> str:
    """A user's name, or the number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def find_target(pid: int) -> Target:
    """Look at a process.

    Raises:
        InputError: there is none, it is no JVM, or this user may not look at it.
    """
    name = f"process {pid}"
    folder = PROC / str(pid)
    if not PROC.joinpath("self").exists():
        raise InputError(
            name, "there is no /proc here; take the evidence with jstack and give it to mqdiag diagnose"
        )
    try:
        status = _status(folder)
        owner = folder.stat()
        command = _text(folder / "cmdline").rstrip("\0").split("\0")
    except (FileNotFoundError, ProcessLookupError):
        raise InputError(name, "there is no such process", hint="mqdiag capture lists the JVMs") from None
    real = int(status.get("Uid", f"{owner.st_uid}").split()[0])
    if os.geteuid() not in (0, real):
        who = user_name(real)
        as_who = "sudo" if real == 0 else f"sudo -u {who}"
        raise InputError(
            name,
            f"belongs to user {who}, and only {who if real == 0 else f'{who} or root'} may look into it",
            hint=f"{as_who} mqdiag capture {pid}",
        )
    try:
        is_jvm = _is_jvm(folder)
    except OSError as error:
        raise InputError(
            name, f"may not be looked into: {error.strerror}; its maps tell whether it is a JVM"
        ) from None
    if not is_jvm:
        shown = Path(command[0]).name if command[0] else status.get("Name", "?")
        raise InputError(name, f"is no JVM but {shown}", hint="mqdiag capture lists the JVMs")
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
            except (InputError, OSError, ValueError):
                continue
    return found


def shown_command(command: tuple[str, ...]) -> list[str]:
    """A command line whose secrets are hidden: values of settings that are named like passwords."""
    return [
        f"{name}={'(hidden)'}" if sign and _SECRET.search(name) else part
        for part in command
        for name, sign, _ in [part.partition("=")]
    ]


def _is_jvm(folder: Path) -> bool:
    with (folder / "maps").open("rb") as maps:
        return any(_JVM_LIBRARY.search(line) for line in maps)


def _status(folder: Path) -> dict[str, str]:
    lines = (line.partition(":") for line in _text(folder / "status").splitlines())
    return {name: value.strip() for name, _, value in lines}


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
