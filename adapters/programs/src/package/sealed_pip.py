"""Runs pip in a Python that starts no program.

pip builds a package in programs that it starts: its setup.py, a build backend, git. `--only-binary`
does not keep it from that for a package that another one names by an address. Here every start of a
program fails, whatever pip wants it for, and pip runs no code of a package by itself.

Usage: sealed_pip.py RUNNER PIP-ARGUMENT...
RUNNER is pip's own __pip-runner__.py, for the pip of another Python, or empty.
"""

import runpy
import sys

# The names of the audit events of the standard library; a hook cannot be taken off again.
STARTS = ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "pty.")


def refuse(event, arguments):
    if event.startswith(STARTS):
        raise PermissionError("no program is started here: building a package runs its code")


runner = sys.argv[1]
sys.argv[:2] = ["pip"]
sys.addaudithook(refuse)
if runner:
    runpy.run_path(runner, run_name="__main__")
else:
    runpy.run_module("pip", run_name="__main__", alter_sys=True)
