// Text that would have the page show something else, or nothing.

import { expect, test } from "vitest";
import { read } from "../src/tree";
import { shown, spelled } from "../src/spelled";

test("marks that turn the order of letters round are spelled out", () => {
  const json = JSON.stringify({ text: "a \u202eb\u2066" });
  expect(JSON.parse(spelled(json))).toEqual({ text: "a \\u{202e}b\\u{2066}" });
  expect(spelled('{"text":"שלום, ok"}')).toBe('{"text":"שלום, ok"}');
});

test("control characters are spelled out, and what lays text out is not", () => {
  const text = "a\u001b[2J\u0000\b\u007f\u009b\\u001b\\\u0007 \t\r\n";
  const spelledOut = "a\\u{1b}[2J\\u{0}\\u{8}\\u{7f}\\u{9b}\\u001b\\\\u{7} \t\r\n";
  expect(JSON.parse(spelled(JSON.stringify({ text })))).toEqual({ text: spelledOut });
});

test("a text that is too deep for a tree has none, and others have", () => {
  for (const deep of [">".repeat(1200) + " x", "- ".repeat(3000), "*".repeat(5000) + "x"]) {
    const blocks = read(deep);
    if (blocks !== undefined) expect(JSON.stringify(blocks).length).toBeGreaterThan(0);
  }
  expect(read(">".repeat(1200) + " x")).toBeUndefined();
  expect(read("> > - a\n> > - b")).toHaveLength(1);
  expect(read("# h\n".repeat(10_000))).toHaveLength(10_000);
});

test("the name of a file on this machine reads as it is", () => {
  expect(shown("a\u202etxt.\u0007\nexe")).toBe("a\\u{202e}txt.\\u{7}\\u{a}exe");
  expect(shown("Größe <b>.txt")).toBe("Größe <b>.txt");
});
