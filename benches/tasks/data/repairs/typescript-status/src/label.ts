import type { Status } from "./status.ts";

/** What a person reads for a status. */
export function label(status: Status): string {
    switch (status) {
        case "queued":
            return "waiting";
        case "running":
            return "working";
        case "done":
            return "finished";
        case "failed":
            return "failed";
        default:
            throw new Error(`no label for ${status}`);
    }
}
