"""Follows docs/plugins/tutorial.md to the letter: writes its files, runs its commands, compares what they print."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.request import urlopen

PAGE = Path(__file__).resolve().parents[1] / "docs" / "plugins" / "tutorial.md"
_BLOCK = re.compile(
    r"(?:^`(?P<file>[\w./-]+)`\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_SERVER = "registry demo --port 5055"
_COMMANDS = {
    "registry": "from registry.cli import main",
    "pip": "from pip._internal.cli.main import main",
    "pytest": "from pytest import console_main as main",
}


@dataclass(frozen=True)
class Block:
    """One code block: a file to write, commands to run, or lines that the commands before it print."""

    kind: Literal["file", "commands", "printed"]
    text: str
    file: str = ""


def blocks() -> Iterator[Block]:
    """The code blocks of the page, in order."""
    for found in _BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        kind: Literal["file", "commands", "printed"] = (
            "file" if found["file"] else "commands" if found["language"] == "sh" else "printed"
        )
        assert kind != "printed" or found["language"] == "text", f"a block of {found['language']} without its file"
        yield Block(kind, found["text"], found["file"] or "")


def commands_in(python: Path) -> dict[str, str]:
    """The commands that the page types beside an interpreter, and the environment in which a shell finds them."""
    for name, source in _COMMANDS.items():
        command = python.parent / name
        command.write_text(f"#!{python}\nimport sys\n{source}\nsys.exit(main())\n", encoding="utf-8")
        command.chmod(0o755)
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "REGISTRY_", "VIRTUAL_ENV"))
    }
    kept |= {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    kept |= {name: os.environ[name] for name in ("REGISTRY_TEST_POSTGRES",) if name in os.environ}
    return kept | {"PIP_NO_INDEX": "1"}


class Newcomer:
    """Types what the page says, in a folder and an environment of its own."""

    def __init__(self, home: Path, environ: dict[str, str]) -> None:
        self.work = home / "work"
        self.work.mkdir()
        self.environ = environ
        self.server: subprocess.Popen[str] | None = None
        self.printed = ""

    def follow(self) -> None:
        """Goes through the page. Fails with the first thing that is not as it says."""
        for block in blocks():
            if block.kind == "file":
                path = self.work / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.kind == "commands":
                self.printed = "".join(self.run(line) for line in block.text.splitlines())
            else:
                for line in block.text.splitlines():
                    assert line in self.printed, f"{line!r} is not among what was printed:\n{self.printed}"

    def run(self, line: str) -> str:
        """One line of the page; answers what it prints."""
        words = shlex.split(line)
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.environ[name] = value
            return ""
        if line == _SERVER:
            self._serve()
            return ""
        if words[0] == "curl":
            return self._fetch(words[1])
        done = subprocess.run(
            line, shell=True, cwd=self.work, env=self.environ, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def _serve(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = ["registry", "demo", "--port", str(self.port)]
        path = self.environ["PATH"].split(os.pathsep)[0]
        self.server = subprocess.Popen(
            [f"{path}/python", f"{path}/{command[0]}", *command[1:]],
            cwd=self.work,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _fetch(self, address: str) -> str:
        address = address.replace("5055", str(self.port))
        assert self.server is not None and self.server.stdout is not None
        for line in self.server.stdout:  # until it says that it serves
            if "Running on" in line or "Para parar" in line:
                break
        while self.server.poll() is None:
            try:
                with urlopen(address, timeout=60) as answer:
                    text: str = answer.read().decode()
                    return text
            except ConnectionRefusedError:
                continue
            except OSError as error:
                if not isinstance(getattr(error, "reason", None), ConnectionRefusedError):
                    raise
        raise AssertionError(f"the server ended with {self.server.returncode}")

    def close(self) -> None:
        """Stops the server."""
        if self.server is not None:
            self.server.terminate()
            self.server.communicate(timeout=30)
