// Markdown as elements. The text is read by marked into a tree, and the tree becomes elements one by one:
// there is no HTML on the way, so that no text can become any.

import type { Token, Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { s } from "./strings";
import { read } from "./tree";

export function Markdown({ text }: { text: string }): VNode {
  const blocks = useMemo(() => read(text), [text]);
  if (blocks === undefined) {
    return (
      <div class="prose">
        <pre tabIndex={0}>{text}</pre>
      </div>
    );
  }
  const headed = levels(blocks);
  return <div class="prose">{blocks.map((one, at) => block(one, at, headed))}</div>;
}

/** The level of each heading on the page, which has two levels above them and skips none. */
function levels(blocks: Token[]): Map<Token, number> {
  const headings = blocks.filter((token) => token.type === "heading") as Tokens.Heading[];
  const least = headings.reduce((most, token) => Math.min(most, token.depth), 6);
  const all = new Map<Token, number>();
  let last = 2;
  for (const token of headings) {
    last = Math.min(3 + token.depth - least, last + 1, 6);
    all.set(token, last);
  }
  return all;
}

function block(token: Token, at: number, headed?: Map<Token, number>): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const level = headed?.get(token);
      // Within a list or a quotation it heads nothing of the page.
      if (level === undefined) return <strong key={at}>{inline(token.tokens)}</strong>;
      const Level = `h${level}` as "h3";
      return <Level key={at}>{inline(token.tokens)}</Level>;
    }
    case "paragraph":
      return <p key={at}>{inline(token.tokens)}</p>;
    case "code":
      return <Code key={at} text={token.text} language={token.lang ?? ""} />;
    case "blockquote":
      return <blockquote key={at}>{(token.tokens ?? []).map((one, number) => block(one, number))}</blockquote>;
    case "list":
      return list(token as Tokens.List, at);
    case "table":
      return table(token as Tokens.Table, at);
    case "hr":
      return <hr key={at} />;
    case "text":
      return token.tokens ? (
        <span key={at}>{inline(token.tokens)}</span>
      ) : (
        <span key={at}>{plain(token.text)}</span>
      );
    default:
      // HTML and whatever else: as it was written.
      return <p key={at}>{token.raw}</p>;
  }
}

function list(token: Tokens.List, at: number): VNode {
  const items = token.items.map((item, number) => (
    <li key={number} class={item.task ? "task" : undefined}>
      {item.task && <span aria-hidden="true">{item.checked ? "☑ " : "☐ "}</span>}
      {item.tokens.map((one, number) => block(one, number))}
    </li>
  ));
  const start = typeof token.start === "number" ? token.start : 1;
  return token.ordered ? (
    <ol key={at} start={start}>
      {items}
    </ol>
  ) : (
    <ul key={at}>{items}</ul>
  );
}

function table(token: Tokens.Table, at: number): VNode {
  return (
    <div key={at} class="scroll" tabIndex={0} role="region" aria-label="table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, number) => (
              <th key={number} scope="col">
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Code({ text, language = "" }: { text: string; language?: string }): VNode {
  return (
    <pre tabIndex={0} data-language={language || undefined}>
      <code>{text}</code>
    </pre>
  );
}

function inline(tokens: Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map(part);
}

function part(token: Token, at: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong key={at}>{inline(token.tokens)}</strong>;
    case "em":
      return <em key={at}>{inline(token.tokens)}</em>;
    case "del":
      return <del key={at}>{inline(token.tokens)}</del>;
    case "codespan":
      return <code key={at}>{token.text}</code>;
    case "br":
      return <br key={at} />;
    case "link":
      return <Link key={at} href={token.href} label={token.text} children={inline(token.tokens)} />;
    case "image":
      return (
        <span key={at} class="picture">
          {s.picture}: {token.text}{" "}
          <Link href={token.href} label={token.href} children={token.href} />
        </span>
      );
    case "text":
    case "escape":
      return token.type === "text" && token.tokens ? inline(token.tokens) : plain(token.text);
    default:
      return token.raw;
  }
}

/** A link that says where it leads. Other schemes than these are text. */
function Link(props: { href: string; label: string; children: ComponentChildren }): VNode {
  const target = address(props.href);
  if (target === undefined) {
    return (
      <span>
        {props.children} <code>{props.href}</code>
      </span>
    );
  }
  const says = props.label === props.href || props.label === target.href;
  return (
    <a href={target.href} title={target.href} target="_blank" rel="noopener noreferrer">
      {props.children}
      {!says && (
        <bdi class="leads" dir="ltr">
          {" "}
          ({target.host || target.pathname})
        </bdi>
      )}
    </a>
  );
}

function address(href: string): URL | undefined {
  const isAllowed = /^(https?:\/\/|mailto:)/i.test(href);
  return isAllowed && URL.canParse(href) ? new URL(href) : undefined;
}

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": "\u00a0",
};

function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (name) => ENTITIES[name] ?? name);
}
