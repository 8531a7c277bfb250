"""Two engines to compare a guard with: one allows everything, one asks about every call with an effect.

usage: plain_engines.py allow|ask
"""

import json
import sys

READ_PREFIXES = ("get_", "search_", "list_", "read_", "check_")

for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "check":
        tool = message["tool"]
        has_effect = not tool.startswith(READ_PREFIXES) or tool == "get_webpage"
        asks = sys.argv[1] == "ask" and has_effect
        print(json.dumps({"id": message["id"], "decision": "confirm" if asks else "allow"}), flush=True)
