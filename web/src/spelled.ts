// Marks that turn the order of letters round are spelled out, as the terminal UI does: a name or an address
// in which one stands reads as another. So are control characters, of which a page shows nothing.

const TURNING = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** An escape of JSON; in the group, the code of a control character. */
const ESCAPE = /\\(?:u00([01][0-9a-f])|.)/gi;
const SHORT: Record<string, number> = { "\\b": 8, "\\f": 12 };
/** Tab and the ends of lines. */
const LAID_OUT = [9, 10, 13];

const spell = (code: number) => `\\\\u{${code.toString(16)}}`;

/** A text that came by no JSON, such as the name of a file on this machine, with each such mark as text. */
export function shown(text: string): string {
  const spellOut = (mark: string) => `\\u{${mark.charCodeAt(0).toString(16)}}`;
  return text.replace(/[\u0000-\u001f]/g, spellOut).replace(TURNING, spellOut);
}

/** JSON in which each such mark is text. */
export function spelled(json: string): string {
  const turned = json.replace(TURNING, (mark) => spell(mark.charCodeAt(0)));
  if (!json.includes("\\")) return turned;
  return turned.replace(ESCAPE, (escape, hex?: string) => {
    const code = hex === undefined ? SHORT[escape] : Number.parseInt(hex, 16);
    return code === undefined || LAID_OUT.includes(code) ? escape : spell(code);
  });
}
