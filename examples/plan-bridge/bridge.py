#!/usr/bin/env python3
"""A planner bridge for Housecarl: the reference for docs/plan-bridge.md.

It reads one request, a line of JSON, from standard input and writes one answer, a line of JSON, to
standard output. It plans two kinds of requests, "list" and "show FILE", and declines the rest:
enough to show the protocol. Put your own planner into `plan_for`.

Python 3.8 or later, standard library only. `bridge.py --socket PATH` serves a unix socket instead.
"""

import json
import os
import socket
import sys

VERSION = 1
LONGEST_REQUEST = 4 << 20  # bytes


class Declined(Exception):
    """This request cannot be planned; the message is for the user."""


def plan_for(request):
    """Returns a plan for a request, or raises Declined."""
    words = request["input"].strip().rstrip("?.!").split()
    allowed = {action["kind"] for action in request["actions"]}
    if words[:1] == ["list"] and "list_files" in allowed:
        action = {"kind": "list_files", "path": words[1] if len(words) > 1 else "."}
    elif words[:1] == ["show"] and len(words) > 1 and "read_file" in allowed:
        action = {"kind": "read_file", "path": find(request, words[1])}
    else:
        raise Declined("I plan only `list` and `show FILE`.")
    return {"intent": request["input"][:200], "actions": [action]}


def find(request, name):
    """The known path that ends in the name, else the name itself."""
    for path in request["context"]["listing"]:
        if path == name or path.endswith("/" + name):
            return path
    return name


def answer_to(line):
    """The answer, as an object, to a request line."""
    try:
        request = json.loads(line)
        if request["version"] != VERSION:
            raise Declined("I speak version %d of the protocol only." % VERSION)
        return {"plan": plan_for(request)}
    except Declined as declined:
        return {"error": {"message": str(declined)}}
    except (ValueError, KeyError, TypeError) as error:
        return {"error": {"message": "The request is not as the protocol says: %r" % error}}


def serve(path):
    """Answers one request a connection, for as long as the process lives."""
    if os.path.exists(path):
        os.unlink(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        # The socket is for its owner only.
        os.umask(0o077)
        listener.bind(path)
        listener.listen()
        while True:
            connection, _ = listener.accept()
            try:
                with connection, connection.makefile("rwb") as stream:
                    exchange(stream, stream)
            except OSError:
                # Whoever asked went away; the next one may still want a plan.
                continue


def exchange(reading, writing):
    """Reads one line and writes one."""
    line = reading.readline(LONGEST_REQUEST)
    writing.write(json.dumps(answer_to(line)).encode() + b"\n")
    writing.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--socket"] and len(sys.argv) == 3:
        serve(sys.argv[2])
    else:
        exchange(sys.stdin.buffer, sys.stdout.buffer)
