// The few drawings of the page, as lines in the colour of the text.

import type { VNode } from "preact";

const PATHS = {
  menu: "M4 7h16M4 12h16M4 17h16",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
  down: "M12 5v14M6 13l6 6 6-6",
  fork: "M7 4v6a4 4 0 0 0 4 4h2a4 4 0 0 1 4 4v2M7 10v10M17 4v3",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  layers: "M12 4 3 9l9 5 9-5zM3 14l9 5 9-5",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  chevron: "M9 6l6 6-6 6",
  back: "M15 6l-6 6 6 6",
  clip: "M8 12.5l6-6a3 3 0 0 1 4.2 4.2l-7.8 7.8a5 5 0 0 1-7-7L11 4",
  panel: "M4 5h16v14H4zM14 5v14",
  good: "M7 21V11l4-8c1.6 0 2.4 1 2.2 2.6L12.6 9H19a2 2 0 0 1 2 2.4l-1.4 7A2 2 0 0 1 17.6 20H7M3 11h4v10H3z",
  bad: "M7 3v10l4 8c1.6 0 2.4-1 2.2-2.6L12.6 15H19a2 2 0 0 0 2-2.4l-1.4-7A2 2 0 0 0 17.6 4H7M3 13h4V3H3z",
  again: "M19 12a7 7 0 1 1-2-5M19 4v4h-4",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }): VNode {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width={name === "more" ? 2.6 : 1.7}
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
