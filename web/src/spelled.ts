// Marks that turn the order of letters round are spelled out, as the terminal UI does: a name or an address
// in which one stands reads as another.

const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** JSON in which each such mark is text. */
export function spelled(json: string): string {
  return json.replace(TURNING, (mark) => `\\\\u{${mark.charCodeAt(0).toString(16)}}`);
}
