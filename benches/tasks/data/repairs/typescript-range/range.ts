/** The numbers that `3-5,8` names, both ends included. */
export function expand(text: string): number[] {
    const found: number[] = [];
    for (const piece of text.split(",")) {
        const [first, last = first] = piece.split("-").map(Number);
        for (let at = first; at < last; at += 1) {
            found.push(at);
        }
    }
    return found;
}
