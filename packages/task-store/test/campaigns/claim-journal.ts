import { appendFileSync, readFileSync } from 'node:fs';
import type { ClaimOperation } from '@baton/testkit';

/** What is known of a call before it is made. */
export type Call = Pick<ClaimOperation, 'kind' | 'worker'> &
  Partial<Pick<ClaimOperation, 'taskId' | 'attemptId' | 'fence'>>;

/** What its answer says of one task. */
export type Answered = Pick<ClaimOperation, 'taskId' | 'attemptId' | 'fence'> & { ok: boolean };

/** Writes down each call before it is made and each answer as it comes, so that a kill leaves what was under way. */
export interface ClaimJournal {
  note<T>(call: Call, make: () => Promise<T>, told: (result: T) => Answered[]): Promise<T>;
}

interface Line {
  id: string;
  /** Microseconds of the machine's clock, which all its processes share. */
  at: number;
  call?: Call;
  answers?: Answered[];
}

const now = () => Number(process.hrtime.bigint() / 1000n);

/** Opens the journal of one process. */
export function claimJournal(file: string): ClaimJournal {
  let calls = 0;
  const write = (line: Line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  return {
    async note(call, make, told) {
      const id = `${process.pid}-${(calls += 1)}`;
      write({ id, at: now(), call });
      const result = await make();
      write({ id, at: now(), answers: told(result) });
      return result;
    },
  };
}

/** The history that the journals of all processes tell, for `contradictions` of @baton/testkit. */
export function readJournals(files: readonly string[]): ClaimOperation[] {
  const lines = files.flatMap(linesOf);
  const answers = new Map(
    lines.flatMap((line) => (line.answers === undefined ? [] : [[line.id, line] as const])),
  );
  const history: ClaimOperation[] = [];
  const unheard: (Call & { at: number })[] = [];
  for (const { id, at, call } of lines) {
    if (call === undefined) continue;
    const answer = answers.get(id);
    const begun = { kind: call.kind, worker: call.worker, invokedAt: at };
    for (const told of answer?.answers ?? [])
      history.push({ ...begun, ...told, respondedAt: answer?.at ?? null });
    if (answer !== undefined) continue;
    if (call.taskId === undefined) unheard.push({ ...call, at });
    else
      history.push({
        ...begun,
        taskId: call.taskId,
        attemptId: call.attemptId ?? null,
        fence: call.fence ?? null,
        respondedAt: null,
        ok: null,
      });
  }
  return [...history, ...unheardClaims(history, unheard)];
}

/** A claim that nobody heard the answer of is known by what was later stolen from it. */
function unheardClaims(
  history: readonly ClaimOperation[],
  unheard: readonly (Call & { at: number })[],
): ClaimOperation[] {
  const known = new Set(history.filter(({ kind }) => kind === 'claim').map(({ attemptId }) => attemptId));
  const first = unheard.filter(({ kind }) => kind === 'claim').sort((a, b) => a.at - b.at)[0];
  if (first === undefined) return [];
  const found = history.filter(({ kind, attemptId }) => kind === 'steal' && !known.has(attemptId));
  return found.map(({ taskId, attemptId }) => ({
    taskId,
    attemptId,
    kind: 'claim',
    worker: first.worker,
    invokedAt: first.at,
    respondedAt: null,
    fence: null,
    ok: null,
  }));
}

function linesOf(file: string): Line[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return []; // killed before its first call
  }
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line];
    } catch {
      return []; // the last one, cut off by the kill
    }
  });
}

/** What it says when it is done, as one line of JSON. */
export interface ClaimerReport {
  /** Attempts that it got, as `task number`. */
  claims: string[];
  finished: string[];
  released: number;
  /** Moves of tasks that were stolen from their holders. */
  otherMoves: number;
}
