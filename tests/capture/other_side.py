"""The other side of a remote capture: a stand-in for kubectl, and a real sshd on loopback."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.programs import need, path_of
from tests.waiting import wait_until

KUBECTL = """#!{python}
import json, os, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
calls = here / "calls.json"
made = json.loads(calls.read_text()) if calls.exists() else []
calls.write_text(json.dumps([*made, sys.argv[1:]]))
fault = json.loads((here / "fault.json").read_text()) if (here / "fault.json").exists() else dict()
words = sys.argv[sys.argv.index("--") + 1 :]
for old, new in fault.get("instead", []):
    words = [word.replace(old, new) for word in words]
if len(made) >= fault.get("lost_after", 10**6):
    sys.exit(fault.get("error", "error: unable to upgrade connection: container not found"))
if "cut_after" in fault and "GC.heap_dump \\"$@\\"" in words[2]:
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    os.write(1, running.stdout.read(fault["cut_after"]))
    running.stdout.close()
    running.wait()
    sys.exit("error: unexpected EOF")
os.execvp(words[0], words)
"""


class Kubectl:
    """A program of that name, which runs everything on this machine, and with what faults it does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        program = folder / "kubectl"
        program.write_text(KUBECTL.replace("{python}", sys.executable))
        program.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}


@contextmanager
def sshd(folder: Path) -> Iterator[dict[str, str]]:
    """A server for this user with a key of its own; gives the environment in which `ssh other` reaches it."""
    need("sshd")
    program = path_of("sshd")
    assert program is not None
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where it has no privileges
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    shutil.copy(folder / "key.pub", folder / "authorized")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        "StrictModes no\nPermitRootLogin yes\nPidFile none\n"
    )
    (folder / "ssh_config").write_text(
        f"Host other\n  HostName 127.0.0.1\n  Port {port}\n  User {pwd.getpwuid(os.geteuid()).pw_name}\n"
        f"  IdentityFile {folder}/key\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known\n"
        f"  StrictHostKeyChecking accept-new\n"
    )
    wrapper = folder / "ssh"
    wrapper.write_text(f"#!/bin/sh\nexec {shutil.which('ssh')} -F '{folder}/ssh_config' \"$@\"\n")
    wrapper.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    server = subprocess.Popen([program, "-D", "-e", "-f", folder / "sshd_config"], stderr=subprocess.PIPE)
    try:
        asked = ["ssh", "-o", "BatchMode=yes", "other", "true"]

        def answers() -> bool:
            assert server.poll() is None, server.stderr.read() if server.stderr else ""
            return not subprocess.run(asked, env=environment, capture_output=True, check=False).returncode

        wait_until(answers, "an answer of sshd")
        yield environment
    finally:
        server.kill()
        server.communicate()
