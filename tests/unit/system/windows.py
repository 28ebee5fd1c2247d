"""Remove the features that Windows lacks, then run a module: `python windows.py MODULE ARGUMENT…`.

Python's own modules are imported first: they have code for Windows that would not work here.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.process
import http.server
import importlib.abc
import logging
import multiprocessing
import multiprocessing.connection
import multiprocessing.popen_spawn_posix
import multiprocessing.resource_tracker
import multiprocessing.synchronize
import os
import runpy
import select
import shutil
import signal
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading

LOADED = (
    asyncio,
    concurrent.futures.process,
    http.server,
    logging,
    shutil,
    socketserver,
    ssl,
    subprocess,
    tempfile,
    threading,
)
MODULES = frozenset(("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"))
NAMES = {
    os: (
        "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fork", "forkpty",
        "getegid", "geteuid", "getgid", "getpgid", "getpgrp", "getuid", "killpg", "lchown", "mkfifo", "openpty",
        "posix_spawn", "posix_spawnp", "register_at_fork", "sched_getaffinity", "set_blocking", "setsid", "sysconf",
        "uname",
    ),
    signal: ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGUSR1", "alarm", "setitimer"),
    select: ("epoll", "poll"),
    socket: ("AF_UNIX",),
}  # fmt: skip


class Blocked(importlib.abc.MetaPathFinder):
    """An import finder that makes MODULES unavailable."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def take_away() -> None:
    """Remove the modules and names that Windows lacks, and start worker processes as on Windows."""
    multiprocessing.set_start_method("spawn")
    sys.meta_path.insert(0, Blocked())
    for name in MODULES:
        sys.modules.pop(name, None)
    for module, names in NAMES.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    os.supports_dir_fd.clear()
    os.supports_fd.clear()


if __name__ == "__main__":
    take_away()
    sys.argv[:] = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
