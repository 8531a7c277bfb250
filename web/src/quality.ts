// What was said of an answer: a judge's grade, the user's rating, and a second answer with which of both is
// better. A pure function from events, as the view is.

import type { Fault, SessionEvent, Winner } from "./events";

/** A second answer to a request. */
export interface Second {
  state: "asked" | "there" | "missed";
  answer?: string;
  model?: string;
  temperature?: number;
  /** Why there is none, or no comparison with it. */
  fault?: Fault;
  /** What a judge found. */
  compared?: { winner: Winner; feedback: string; judge: string };
  /** What the user chose. */
  chosen?: Winner;
  /** Whether it stands in the place of the first answer. */
  taken?: boolean;
}

export interface Quality {
  /** Whether a judge was asked, and has not said anything yet. */
  asked: boolean;
  grade?: { score: number; feedback: string; judge: string; rubric: string };
  /** Why there is no grade. */
  fault?: Fault;
  /** -100 to 100. */
  rating?: number;
  note?: string;
  second?: Second;
}

export const unknown: Quality = { asked: false };

/** What is known of an answer after one more event; the same where the event says nothing of it. */
export function judged(before: Quality, event: SessionEvent): Quality {
  const { second } = before;
  switch (event.type) {
    case "grade_asked":
      return { ...before, asked: true };
    case "critique": {
      const { score, feedback, judge, rubric } = event;
      const { fault: _past, ...rest } = before;
      return { ...rest, asked: false, grade: { score, feedback, judge, rubric } };
    }
    case "not_graded":
      return { ...before, asked: false, fault: faultOf(event) };
    case "feedback":
      return { ...before, rating: event.score, note: event.note };
    case "second_asked":
      return { ...before, second: { state: "asked" } };
    case "second_answered": {
      const { answer, model, temperature } = event;
      return { ...before, second: { state: "there", answer, model, temperature } };
    }
    case "second_missed": {
      const state = second?.answer === undefined ? "missed" : "there";
      return { ...before, second: { ...second, state, fault: faultOf(event) } };
    }
    case "pairwise": {
      const { winner, feedback, judge } = event;
      return second === undefined ? before : { ...before, second: { ...second, compared: { winner, feedback, judge } } };
    }
    case "second_rated":
      return second === undefined ? before : { ...before, second: { ...second, chosen: event.winner } };
    case "second_taken":
      // What was said before was said of the first answer.
      return second === undefined ? before : { asked: false, second: { ...second, taken: true } };
    default:
      return before;
  }
}

/** Whether an event says something of an answer that was given before. */
export function isOpinion(event: SessionEvent): boolean {
  const probe: Quality = { asked: false, second: { state: "there" } };
  return judged(probe, event) !== probe;
}

/** A rating from -100 to 100 in stars, as `/rate` takes them. */
export const stars = (rating: number) => Math.round(rating / 50) + 3;

function faultOf({ code, message, hint }: Fault): Fault {
  return hint === undefined ? { code, message } : { code, message, hint };
}
