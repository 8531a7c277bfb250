// Where messages are written. While something runs, a message waits for its turn.

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Attach, Attached, take } from "./attachments";
import { Choices } from "./choices";
import { Icon } from "./icons";
import * as state from "./state";
import { s } from "./strings";

export function Composer(): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = state.draft.value;
  useEffect(() => {
    const area = field.current;
    if (area === null) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
  }, [text]);
  useEffect(() => field.current?.focus(), [state.current.value]);
  const send = () => {
    const words = state.draft.value.trim();
    if (words !== "") void state.sendMessage(words);
  };
  const isBusy = state.busy.value;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Attached />
      <textarea
        dir="auto"
        id="message"
        ref={field}
        rows={1}
        placeholder={s.messageHint}
        aria-label={s.messageLabel}
        value={text}
        onInput={(event) => state.setDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            send();
          }
        }}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])];
          if (pasted.length === 0) return;
          event.preventDefault();
          void take(pasted);
        }}
      />
      <Attach />
      <Choices />
      {isBusy && (
        <button
          type="button"
          class="round stop"
          aria-label={s.stop}
          title={s.stop}
          onClick={() => void state.stop()}
        >
          <Icon name="stop" />
        </button>
      )}
      <button
        type="submit"
        class="round send"
        aria-label={isBusy ? s.queue : s.send}
        title={isBusy ? s.queue : s.send}
        disabled={text.trim() === ""}
      >
        <Icon name="send" />
      </button>
    </form>
  );
}
