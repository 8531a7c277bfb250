export const PAYABLE_DAYS = 14;

/** The day, as `2026-11-27`, on which an invoice of a day is due. */
export function dueOn(invoiced: string, days: number = PAYABLE_DAYS): string {
    const [year, month, day] = invoiced.split("-").map(Number);
    const due = new Date(Date.UTC(year, month, day + days));
    return due.toISOString().slice(0, 10);
}

/** Whether it should have been paid before a day. */
export function isOverdue(invoiced: string, today: string): boolean {
    return dueOn(invoiced) < today;
}
