// A dialog above the page. The browser keeps the focus in it and gives it back.

import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export function Dialog(props: {
  label: string;
  name: string;
  close: () => void;
  children: ComponentChildren;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key comes, which is meant for it.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={props.name}
      aria-label={props.label}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) props.close();
      }}
    >
      <div class="inside">{props.children}</div>
    </dialog>
  );
}
