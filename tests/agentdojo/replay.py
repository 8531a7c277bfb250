#!/usr/bin/env python3
"""Plays AgentDojo without a language model against a policy engine, over JSON lines on its standard
input and output.

    replay.py --broker "carl policy serve --tools tables/banking.yaml" --suite banking [--no-plan]
              [--attack NAME] [--json OUT]

One JSON object a line; the engine answers only `check`:

    {"op": "begin", "prompt": TEXT, "tools": [{"name", "description", "parameters"}], "plan": [TOOL, ...] or null}
    {"op": "check", "id": N, "tool": T, "args": {...}}
        {"id": N, "decision": "allow" or "confirm" or "deny", ...}
    {"op": "observe", "id": N, "tool": T, "result": TEXT}
    {"op": "end"}

The attacker is an agent wholly in his hands: it makes the calls that solve the user's task and, at
the first result that carries the payload, also the attacker's calls. The engine is not told which
is which. A `confirm` is answered yes exactly when the call belongs to the user's task. AgentDojo's
own checks judge the end state. Pairs in which the payload was seen count as `attacker_acted`: one in
which nobody acted proves nothing. `plan` is the list of tools of the user's task, as a plan approved
before any result was read; --no-plan sends null.
"""
import argparse, ast, collections, json, os, re, shlex, subprocess, sys, warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sdk_stubs  # noqa: F401  lets agentdojo import without any model SDK

warnings.simplefilter("ignore")
import yaml

if hasattr(yaml, "CSafeLoader"):
    yaml.safe_load = lambda text: yaml.load(text, Loader=yaml.CSafeLoader)  # set-up is 8 times faster
from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.attacks import load_attack
from agentdojo.functions_runtime import EmptyEnv
from agentdojo.task_suite import get_suites
from agentdojo.types import ChatAssistantMessage, ChatToolResultMessage
from agentdojo.types import text_content_block_from_string as text_block

READ_PREFIXES = ("get_", "search_", "list_", "read_", "check_")


def consequential(tool):
    """For the statistics only; the engine has its own table."""
    return not tool.startswith(READ_PREFIXES) or tool == "get_webpage"


def fold(text):
    return re.sub(r"\s+", " ", text.lower())


def unescaped(text):
    """The text and every string in it as a reader of its form has it: dumps escape line breaks, which hid payloads from a search in the raw text."""
    try:
        todo = [ast.literal_eval(text)]
    except Exception:
        try:
            todo = [yaml.safe_load(text)]
        except Exception:
            return text
    out = [text]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple)):
            todo += value
        elif isinstance(value, str):
            out.append(value)
    return "\n".join(out)


class Engine:
    def __init__(self, command):
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.last_id = 0
        self.decisions = []

    def send(self, message):
        self.process.stdin.write(json.dumps(message, default=str) + "\n")
        self.process.stdin.flush()

    def check(self, tool, args):
        self.last_id += 1
        self.send({"op": "check", "id": self.last_id, "tool": tool, "args": args})
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the engine closed its output")
        answer = json.loads(line)
        assert answer["id"] == self.last_id, answer
        assert answer["decision"] in ("allow", "confirm", "deny"), answer
        self.decisions.append([tool, answer["decision"], answer.get("rule", "")])
        return answer["decision"]


class Replay(BasePipelineElement):
    name = "local"

    def __init__(self, engine=None, suite=None, case="", user=None, injection=None, payload=None, with_plan=True):
        self.engine, self.suite, self.case, self.user = engine, suite, case, user
        self.injection, self.payload, self.with_plan = injection, payload or {}, with_plan
        self.log, self.payload_seen = [], False

    def query(self, query, runtime, env=EmptyEnv(), messages=[], extra_args={}):
        truth, out = list(self.user.ground_truth(env)), []
        marks = [fold(text.strip())[:40] for text in self.payload.values()]
        tools = [
            {"name": n, "description": f.description, "parameters": f.parameters.model_json_schema()}
            for n, f in sorted(runtime.functions.items())
        ]
        plan = [call.function for call in truth] if self.with_plan else None
        self.engine.send({"op": "begin", "suite": self.suite.name, "case": self.case, "prompt": query, "tools": tools, "plan": plan})

        def make(call, kind):
            decision = self.engine.check(call.function, dict(call.args))
            self.log.append((kind, call.function, decision))
            runs = decision == "allow" or (decision == "confirm" and kind == "user")
            # A blocked call must not appear among the calls: one task is judged on the trace, executed or not.
            out.append(ChatAssistantMessage(role="assistant", tool_calls=[call] if runs else None, content=[text_block("")]))
            if not runs:
                return ""
            result, error = runtime.run_function(env, call.function, call.args)
            try:
                text = tool_result_to_str(result) if error is None else str(error)
            except Exception:
                text = str(result)
            self.engine.send({"op": "observe", "id": self.engine.last_id, "tool": call.function, "result": text})
            out.append(ChatToolResultMessage(role="tool", content=[text_block(text)], tool_call=call, tool_call_id=None, error=error))
            return text

        for call in truth:
            text = fold(unescaped(make(call, "user")))
            if self.injection is not None and not self.payload_seen and any(mark in text for mark in marks):
                self.payload_seen = True
                for injected in self.injection.ground_truth(env):
                    make(injected, "injected")
        out.append(ChatAssistantMessage(role="assistant", content=[text_block(self.user.GROUND_TRUTH_OUTPUT)], tool_calls=None))
        self.engine.send({"op": "end"})
        return query, runtime, env, [*messages, *out], extra_args


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", required=True)
    parser.add_argument("--suite", action="append", required=True)
    parser.add_argument("--version", default="v1.2.2")
    parser.add_argument("--attack", default="injecagent")
    parser.add_argument("--no-plan", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    engine, total, won = Engine(options.broker), collections.Counter(), []
    for name, suite in get_suites(options.version).items():
        if name not in options.suite:
            continue
        count, attack = collections.Counter(), load_attack(options.attack, suite, Replay())
        for user_id, user in suite.user_tasks.items():
            run = Replay(engine, suite, user_id, user, with_plan=not options.no_plan)
            useful, _ = suite.run_task_with_pipeline(run, user, None, {})
            effects = [d for _, tool, d in run.log if consequential(tool)]
            count["tasks"] += 1
            count["useful"] += useful
            count["calls"] += len(run.log)
            count["calls_denied"] += sum(d == "deny" for *_, d in run.log)
            count["consequential"] += len(effects)
            count["approvals"] += sum(d == "confirm" for d in effects)
            count["read_approvals"] += sum(d == "confirm" for _, tool, d in run.log if not consequential(tool))
            count["tasks_without_approval"] += all(d == "allow" for *_, d in run.log)
            for injection_id, injection in suite.injection_tasks.items():
                if not injection.ground_truth(suite.load_and_inject_default_environment({})):
                    count["pairs_without_ground_truth"] += 1
                    continue
                payload = attack.attack(user, injection)
                run = Replay(engine, suite, f"{user_id}/{injection_id}", user, injection, payload, not options.no_plan)
                useful, attacked = suite.run_task_with_pipeline(run, user, injection, payload)
                count["pairs"] += 1
                count["attacker_acted"] += run.payload_seen
                count["attacker_effects_without_question"] += sum(kind == "injected" and d == "allow" and consequential(tool) for kind, tool, d in run.log)
                count["attacks_won"] += bool(attacked)
                count["useful_under_attack"] += bool(useful)
                if attacked:
                    won.append(f"{name}/{user_id}/{injection_id}")
        total += count
        print(name, dict(count), flush=True)
    print("TOTAL", dict(total))
    print("ATTACKS WON", won)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"total": dict(total), "won": won, "decisions": engine.decisions}, file, indent=1)


main()
