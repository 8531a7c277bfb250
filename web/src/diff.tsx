// A unified diff, line by line. What was added and taken away is told by a sign as well as by a colour.

import type { VNode } from "preact";
import { useMemo } from "preact/hooks";

type Kind = "add" | "del" | "hunk" | "same" | "head";

function kindOf(line: string): Kind {
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+++") || line.startsWith("---")) return "head";
  if (line.startsWith("+")) return "add";
  return line.startsWith("-") ? "del" : "same";
}

export function Diff({ text, label }: { text: string; label: string }): VNode {
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, at) => (
        <span key={at} class={`line ${kindOf(line)}`}>
          {line === "" ? " " : line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
