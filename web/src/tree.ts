// Markdown as a tree, where it is none that a page could not hold.

import { lexer, type Token, type Tokens } from "marked";

/** How deep lists and quotations may stand in one another. Deeper ones are shown as they were written. */
const DEEPEST = 40;

/** The tree of a text; nothing where it is too deep to be one. */
export function read(text: string): Token[] | undefined {
  let blocks: Token[];
  try {
    blocks = lexer(text, { gfm: true, breaks: false });
  } catch {
    // It calls itself for each level.
    return undefined;
  }
  let level: Token[] = blocks;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return undefined;
    level = level.flatMap(within);
  }
  return blocks;
}

function within(token: Token): Token[] {
  const items = token.type === "list" ? (token as Tokens.List).items : [];
  return [...("tokens" in token && token.tokens ? token.tokens : []), ...items];
}
