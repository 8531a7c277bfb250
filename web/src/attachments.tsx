// Files that go along with the next message: texts as data, pictures as pictures. What may not go along is
// said before anything is sent.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { messageBody } from "./api";
import type { Given } from "./events";
import { Icon } from "./icons";
import { shown } from "./spelled";
import { s, size } from "./strings";

/** Limits of `contracts/domain/src/limits.rs` and `surfaces/http/src/limits.rs`. */
const TEXT_BYTES = 1 << 20;
const PICTURE_BYTES = 3_840_000;
const PICTURES = 8;
const BODY_BYTES = 8 << 20;

const KINDS = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export const files = signal<Given[]>([]);
/** Why a file does not go along. */
export const refused = signal<string[]>([]);

/** Takes files in, as far as they may go along. */
export async function take(chosen: Iterable<File>): Promise<void> {
  const said: string[] = [];
  for (const file of chosen) {
    const told = await added(file);
    if (told !== undefined) said.push(told);
  }
  refused.value = said;
}

export function clear(): void {
  files.value = [];
  refused.value = [];
}

/** Why a file does not go along; nothing where it does. */
async function added(file: File): Promise<string | undefined> {
  const name = shown(file.name);
  const isPicture = KINDS.includes(file.type);
  const most = isPicture ? PICTURE_BYTES : TEXT_BYTES;
  if (file.size > most) return s.tooLarge(name, size(most));
  if (isPicture && files.value.filter((one) => one.data !== undefined).length >= PICTURES) {
    return s.tooMany(name, PICTURES);
  }
  const read = new Uint8Array(await file.arrayBuffer());
  const content = isPicture ? { data: base64(read) } : text(read);
  if (content === undefined) return s.notText(name);
  const next = [...files.value, { name: file.name, bytes: file.size, ...content }];
  const { input } = messageBody("", next) as { input?: { text: string } };
  if (input !== undefined && lengthOf(input.text) > TEXT_BYTES) return s.tooLarge(name, size(TEXT_BYTES));
  // Room for the words of the message.
  if (lengthOf(JSON.stringify(messageBody("", next))) > BODY_BYTES - TEXT_BYTES) {
    return s.tooMuch(name, size(BODY_BYTES - TEXT_BYTES));
  }
  files.value = next;
  return undefined;
}

const lengthOf = (of: string) => new TextEncoder().encode(of).length;

function text(read: Uint8Array): { text: string } | undefined {
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(read);
    return decoded.includes("\0") ? undefined : { text: decoded };
  } catch {
    return undefined;
  }
}

function base64(read: Uint8Array): string {
  const PIECE = 0x8000;
  let binary = "";
  for (let at = 0; at < read.length; at += PIECE) {
    binary += String.fromCharCode(...read.subarray(at, at + PIECE));
  }
  return btoa(binary);
}

/** The button that chooses files. */
export function Attach(): VNode {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={s.attach}
        onChange={(event) => {
          const input = event.currentTarget;
          void take([...(input.files ?? [])]).then(() => {
            // So that the same file can be chosen once more.
            input.value = "";
            document.getElementById("message")?.focus();
          });
        }}
      />
      <button
        type="button"
        class="icon"
        aria-label={s.attach}
        title={s.attachHint}
        onClick={() => field.current?.click()}
      >
        <Icon name="clip" />
      </button>
    </>
  );
}

/** What goes along, and what does not. */
export function Attached(): VNode | null {
  if (files.value.length === 0 && refused.value.length === 0) return null;
  return (
    <div class="attached">
      {files.value.length > 0 && (
        <ul aria-label={s.attached}>
          {files.value.map((file, at) => (
            <li key={at}>
              <bdi class="target">{shown(file.name)}</bdi>
              <span class="muted">
                {file.data === undefined ? s.text : s.pictureWord} · {size(file.bytes)}
              </span>
              <button
                type="button"
                class="icon"
                aria-label={s.detach(shown(file.name))}
                onClick={() => {
                  files.value = files.value.filter((one) => one !== file);
                  document.getElementById("message")?.focus();
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {refused.value.map((why) => (
        <p key={why} class="refused" role="alert">
          {why}
        </p>
      ))}
    </div>
  );
}
