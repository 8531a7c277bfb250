export const STATUSES = ["queued", "running", "done", "failed"] as const;

export type Status = (typeof STATUSES)[number];

export function isStatus(text: string): text is Status {
    return (STATUSES as readonly string[]).includes(text);
}
