// What memory had on the last request, what it has on it now and why, and what it has on any question.

import { Fragment, type VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Fault, Found, Recalled, Stage } from "../events";
import { body } from "../fence";
import { useLive } from "../live";
import * as state from "../state";
import { stars } from "../quality";
import { ago, s } from "../strings";
import { type RecallItem, recalls } from "../view";
import { Trouble } from "./trouble";

/** How often what was said of an entry is asked for while it is looked at. */
const EVERY_MS = 15_000;

/** Longest question that is asked, characters: a request may be a whole file. */
const QUESTION = 2_000;

export function MemoryPanel(): VNode {
  const all = recalls(state.view.value);
  const [last, ...earlier] = all;
  return (
    <>
      <Search />
      <section aria-labelledby="recalled">
        <h2 id="recalled">{s.recalled}</h2>
        {last === undefined ? <p class="nothing">{s.nothingRecalled}</p> : <Last key={last.key} one={last} />}
        {earlier.map((one) => (
          <details key={one.key} class="fold recall">
            <summary>
              {s.memory(one.ids.length)} <bdi class="target">{one.query}</bdi>
            </summary>
            <Text one={one} />
          </details>
        ))}
      </section>
    </>
  );
}

function Text({ one }: { one: RecallItem }): VNode {
  return (
    <>
      {!one.trusted && <p class="muted">{s.notTrusted}</p>}
      <pre tabIndex={0}>
        <code>{body(one.text)}</code>
      </pre>
    </>
  );
}

/** What was recalled for the last request, and what memory has on it now. */
function Last({ one }: { one: RecallItem }): VNode {
  const { found, fault } = useQuestion(one.query);
  return (
    <>
      <p class="muted">
        {s.recalledFor} <bdi>{one.query.slice(0, QUESTION)}</bdi>
      </p>
      <Text one={one} />
      <h3>{s.nowAndWhy}</h3>
      <Trouble fault={fault} />
      {found !== undefined && <Results found={found} recalled={one.ids} />}
    </>
  );
}

function useQuestion(question: string): { found?: Found; fault?: Fault } {
  const [told, setTold] = useState<{ question?: string; found?: Found; fault?: Fault }>({});
  const { count } = state.changed.value;
  useEffect(() => {
    if (question.trim() === "") return undefined;
    let isWanted = true;
    const show = (answer: { found?: Found; fault?: Fault }) => {
      if (isWanted) setTold({ question, ...answer });
    };
    api.searchMemory(question.slice(0, QUESTION)).then(
      (found) => show({ found }),
      (error: unknown) => {
        if (error instanceof api.Refused && error.status === 401) state.loggedOut.value = true;
        show({ fault: error instanceof api.Refused ? error.fault : { code: "page", message: String(error) } });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [question, count]);
  return told.question === question ? told : {};
}

function Search(): VNode {
  const [words, setWords] = useState("");
  const [asked, setAsked] = useState("");
  const { found, fault } = useQuestion(asked);
  return (
    <section aria-labelledby="search-memory">
      <h2 id="search-memory">{s.searchMemory}</h2>
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(words.trim());
        }}
      >
        <input
          type="search"
          aria-label={s.searchMemory}
          value={words}
          maxLength={QUESTION}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <button type="submit">{s.searchWord}</button>
      </form>
      <div role="status">
        {state.changed.value.said !== "" && <p class="told">{state.changed.value.said}</p>}
        <Trouble fault={fault} />
        {found !== undefined && <Results found={found} recalled={[]} />}
      </div>
    </section>
  );
}

function Results({ found, recalled }: { found: Found; recalled: string[] }): VNode {
  if (found.results.length === 0) return <p class="nothing">{s.nothingFound}</p>;
  const notes = found.stages.filter((stage) => stage.note !== "");
  return (
    <>
      {found.results.map((one) => (
        <Result key={one.id} one={one} stages={found.stages} isRecalled={recalled.includes(one.id)} />
      ))}
      {notes.map((stage) => (
        <p key={stage.name} class="muted">
          {s.stages[stage.name] ?? stage.name}: <bdi>{stage.note}</bdi>
        </p>
      ))}
    </>
  );
}

function Result(props: { one: Recalled; stages: Stage[]; isRecalled: boolean }): VNode {
  const { one, stages, isRecalled } = props;
  const share = Math.round(100 * one.relevance);
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold memory" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi class="target">{one.name}</bdi>
        <span class="badge">{s.relevance(share)}</span>
        <span class="muted">{ago(one.created_at)}</span>
        {isRecalled && <span class="badge allow">{s.wasRecalled}</span>}
      </summary>
      {one.description !== "" && (
        <p class="told">
          <bdi>{one.description}</bdi>
        </p>
      )}
      <pre tabIndex={0}>
        <code>{one.segment}</code>
      </pre>
      <dl class="facts">
        <dt>{s.origin}</dt>
        <dd>
          {s.sources[one.source] ?? one.source}
          {one.label.integrity !== "trusted" && ` · ${s.notTrusted}`}
        </dd>
        {stages.map((stage) => (
          <Seen key={stage.name} stage={stage} id={one.id} />
        ))}
        {isOpen && <Annotations id={one.id} />}
      </dl>
      <div class="row">
        <Task one={one} task="correct" label={s.correctEntry} />
        <Task one={one} task="forget" label={s.forgetEntry} />
      </div>
    </details>
  );
}

/** Who answered, and what was said of the answer since; nothing for what was kept on purpose. */
function Annotations({ id }: { id: string }): VNode | null {
  const { view } = state;
  const { value } = useLive(() => api.entry(id), EVERY_MS, view.value.seq);
  if (value?.question === undefined) return null;
  const { question, respondent, critic_score: score, feedback: rating, pairwise_winner: winner } = value;
  const rows: [string, string | undefined | null][] = [
    [s.asked, question],
    [s.respondent, respondent],
    [s.grade, score == null ? null : s.graded(score)],
    [s.yourRating, rating == null ? null : s.rated(stars(rating))],
    [s.comparison, winner == null ? null : s.compared[winner]],
  ];
  return (
    <>
      {rows.map(
        ([name, told]) =>
          told != null && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{told}</bdi>
              </dd>
            </Fragment>
          ),
      )}
    </>
  );
}

/** What a person does with an entry, in a dialog. */
function Task(props: { one: Recalled; task: state.WantedEntry["task"]; label: string }): VNode {
  const { one, task, label } = props;
  return (
    <button
      type="button"
      aria-label={`${label}: ${one.name}`}
      onClick={() => (state.entry.value = { id: one.id, task })}
    >
      {label}
    </button>
  );
}

/** Where an entry stood in a stage of the search. */
function Seen({ stage, id }: { stage: Stage; id: string }): VNode | null {
  const at = stage.candidates.findIndex((one) => one.id === id);
  const score = stage.candidates[at]?.score;
  if (score === undefined) return null;
  return (
    <>
      <dt>{s.stages[stage.name] ?? stage.name}</dt>
      <dd>{s.place(at + 1, stage.seen, score.toFixed(3))}</dd>
    </>
  );
}
