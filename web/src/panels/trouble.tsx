// Why what a panel would show was not told.

import type { VNode } from "preact";
import type { Fault } from "../events";

export function Trouble({ fault }: { fault: Fault | undefined }): VNode | null {
  if (fault === undefined) return null;
  return (
    <div class="note error" role="alert">
      <p>
        <bdi>{fault.message}</bdi>
      </p>
      {fault.hint && (
        <p class="muted">
          <bdi>{fault.hint}</bdi>
        </p>
      )}
    </div>
  );
}
