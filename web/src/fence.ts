// Results of tools and what memory has stand between marks, which models need and people do not.

const HEAD = "[TOOL_RESULT: ";

/** What stands between the marks of a fence, without its note; any other text is left as it is. */
export function body(text: string): string {
  const fenced = text.replace(/^\[FAILED\]\n/, "");
  const line = fenced.indexOf("\n");
  const head = line < 0 ? "" : fenced.slice(0, line);
  if (!head.startsWith(HEAD) || !head.endsWith("]")) return text;
  const nonce = head.slice(0, -1).split(" ").at(-1);
  const end = `[END ${nonce}]`;
  const rest = fenced.slice(line + 1).trimEnd();
  if (!rest.endsWith(end)) return text;
  const inner = rest.slice(0, -end.length);
  return inner.startsWith(`[NOTE ${nonce}: `) ? inner.slice(inner.indexOf("\n") + 1) : inner;
}

/** A text without the lines that are marks, on one line. */
export function gist(text: string): string {
  const isMark = (line: string) => /^(\[TOOL_RESULT:|\[NOTE |\[END |\[FAILED\]$)/.test(line);
  const lines = text.split("\n").filter((line) => !isMark(line));
  return lines.join(" ").replace(/\s+/g, " ").trim();
}
