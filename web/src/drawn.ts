// Which rows of a long list are drawn, and the room that the others take. Nothing here knows the document.

export interface Drawn {
  /** The first row that is drawn, and the one behind the last. */
  from: number;
  to: number;
  /** The room before and behind them, pixels. */
  before: number;
  after: number;
}

/** The rows that stand between two places of a list whose rows are so high. */
export function drawn(heights: number[], begin: number, end: number): Drawn {
  let [from, to, top, before, after] = [heights.length, heights.length, 0, 0, 0];
  heights.forEach((height, at) => {
    const bottom = top + height;
    if (bottom <= begin) before = bottom;
    else if (top >= end) {
      to = Math.min(to, at);
      after += height;
    } else from = Math.min(from, at);
    top = bottom;
  });
  return { from: Math.min(from, to), to, before, after };
}

/** The row that stands at a place, and how far its top is from there. */
export function rowAt(heights: number[], place: number): { at: number; offset: number } {
  let top = 0;
  for (const [at, height] of heights.entries()) {
    if (top + height > place || at === heights.length - 1) return { at, offset: top - place };
    top += height;
  }
  return { at: 0, offset: 0 };
}

/** What is known of the heights of rows: those that were drawn once, and for others what is usual. */
export class Heights {
  readonly #known = new Map<string, number>();
  #sum = 0;

  set(id: string, height: number): void {
    this.#sum += height - (this.#known.get(id) ?? 0);
    this.#known.set(id, height);
  }

  of(ids: string[], unknown: number): number[] {
    const usual = this.#known.size === 0 ? unknown : this.#sum / this.#known.size;
    return ids.map((id) => this.#known.get(id) ?? usual);
  }
}
