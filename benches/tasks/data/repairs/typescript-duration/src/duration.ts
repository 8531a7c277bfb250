/** The seconds of a clock's time: `1:05` are 3900. */
export function parseClock(text: string): number {
    const [hours, minutes] = text.split(":").map(Number);
    return hours * 3600 + minutes * 60;
}
