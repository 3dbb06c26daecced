import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { BatonError, errorText } from '@baton/contracts';
import type { AgentContext, Finished, TaskRequest } from '../../agent/adapter.ts';
import type { EventQueue } from '../../agent/event-queue.ts';
import { shortEnd } from '../../agent/short.ts';
import { classifyEnding, classifyExit } from '../../supervise/exit-classes.ts';
import type { AgentProcess } from '../../supervise/agent-process.ts';
import { loopDetector, type LoopVerdict } from '../../supervise/loops.ts';
import type { Supervision } from '../../supervise/supervise-task.ts';
import { emit, hearLate, listen, type Live } from './listen.ts';
import type { PromptResult } from './messages.ts';
import { classifyResult, classifyRpcError, isSaid } from './outcome.ts';
import { openAcpSession, type AcpSession } from './session.ts';
import { turnReader, type TurnReader } from './turn.ts';
import { usageMeter, type UsageTotals } from './usage.ts';

const openingMs = 60_000;
const spawnFailureMs = 5_000;
/** How long an agent that has told nothing of its spending may still tell it after its answer. */
const lateUsageMs = 250;
/** How long a process that is gone may leave its pipes open to another one. */
const drainMs = 500;
/** Of what it printed. */
const mostPrinted = 1_000;

/** Errors with which a provider turns a question away. */
const refusals: readonly string[] = ['not_logged_in', 'rate_limited', 'provider_down'];

/** How a task ended. */
export type Ending = Pick<Finished, 'outcome' | 'abortReason' | 'summary'> &
  Partial<Pick<Finished, 'exitCode' | 'resetAt' | 'transitionReason'>>;

/** What one prompt is sent with. */
interface Prompt {
  request: TaskRequest;
  queue: EventQueue;
  supervision: Supervision;
}

interface TurnState {
  context: AgentContext;
  totals: UsageTotals;
}

/** One prompt: open the session when there is none, send, read, classify. */
export async function turn(state: TurnState, live: Live, prompt: Prompt): Promise<Ending> {
  const { context } = state;
  const { request, queue, supervision } = prompt;
  const reader = readerOf(state, live, prompt);
  live.listener = listen({ context, live, queue, reader, supervision });
  live.late = hearLate({ live, queue, reader });
  // Whether it is we who end it, it dies or it answers: one of these settles.
  const died = lastWords(live.agent).then(() => null);
  const opened = live.session ?? (await openSession(context, live, { supervision, died }));
  if ('outcome' in opened) return opened;
  live.session = opened;
  queue.push({ type: 'ready', sessionRef: opened.sessionId });
  const promptedMs = context.clock.monotonicMs();
  const answered = await settle(opened.prompt(request.prompt), died);
  // Some updates come in the same breath as the answer, or just after it.
  await new Promise((resolve) => setImmediate(resolve));
  reader.end().forEach((event) => emit({ context, queue }, event));
  const result = answered !== null && 'value' in answered ? answered.value : null;
  if (result !== null && !reader.usage.told) await usageAfter(result, { reader, live });
  const error = answered !== null && 'error' in answered ? answered.error : null;
  const isDead = result === null && (await hasExited(live.agent));
  const isTold = error !== null && (!isDead || (live.agent.endedBy === null && isSaid(error)));
  const failure = isTold ? classifyRpcError(error, context.clock.now()) : null;
  const refused = !reader.seen.spoke && refusals.includes(failure?.outcome ?? '');
  const over = {
    result,
    answered: result !== null || (isTold && !(isDead && BatonError.is(error))),
    refused,
  };
  reader.usage.end(over).forEach((event) => queue.push(event));
  const why = supervision.why();
  if (why !== null) return endedByUs(live.agent, why);
  if (result !== null) return classifyResult(result, { seen: reader.seen, now: context.clock.now() });
  if (failure !== null) return failure;
  const quick = context.clock.monotonicMs() - promptedMs < spawnFailureMs && reader.seen.tools === 0;
  return deadEnding(live, { isSpawnFailure: quick });
}

/** Reads what the agent sends, meters what it spends, and ends it when it goes in circles. */
function readerOf({ totals }: TurnState, live: Live, { queue, supervision }: Prompt): TurnReader {
  const loops = loopDetector();
  let asks = loopDetector();
  const judge = ({ verdict, what }: LoopVerdict) => {
    if (verdict === 'fine') return;
    queue.push({ type: 'message', kind: 'notice', text: `Loop: ${what}` });
    if (verdict === 'end') supervision.end('unknown', `It went in circles: ${what}.`);
  };
  return turnReader({
    usage: (seen) =>
      usageMeter(totals, {
        source: () => live.session?.usage ?? 'prompt',
        said: () => seen.model,
        model: () => live.session?.model ?? null,
      }),
    onToolDone(use) {
      asks = loopDetector();
      judge(loops.see(use));
    },
    // One that asks for leave again and again, and never does what it asks for, completes no call.
    onToolAsked: (use) => judge(asks.see(use)),
  });
}

/** The session, or how the task ended because there is none. */
async function openSession(
  context: AgentContext,
  live: Live,
  { supervision, died }: { supervision: Supervision; died: Promise<null> },
): Promise<AcpSession | Ending> {
  const timer = setTimeout(
    () => supervision.end('timeout', `It did not open a session within ${openingMs / 1000} s.`),
    openingMs,
  );
  const opened = await settle(
    openAcpSession(context, { agent: live.agent, listener: () => live.listener, errors: live.errors }),
    died,
  );
  clearTimeout(timer);
  if (opened !== null && 'value' in opened) return opened.value;
  return notOpened(live, { error: opened?.error, supervision, now: context.clock.now() });
}

function endedByUs({ endedBy }: AgentProcess, why: string): Ending {
  return {
    ...classifyEnding(endedBy ?? 'unknown'),
    ...(endedBy === 'unknown' ? { outcome: 'failed' as const } : {}),
    summary: why,
  };
}

async function notOpened(
  live: Live,
  { error, supervision, now }: { error: unknown; supervision: Supervision; now: Date },
): Promise<Ending> {
  const why = supervision.why();
  if (why !== null) {
    const ending = classifyEnding(live.agent.endedBy ?? 'timeout');
    return {
      ...ending,
      outcome: ending.outcome === 'timeout' ? 'spawn_failed' : ending.outcome,
      summary: why,
    };
  }
  if (live.agent.endedBy !== null || (!isSaid(error) && (await hasExited(live.agent))))
    return deadEnding(live, { isSpawnFailure: true });
  if (BatonError.is(error, 'MODEL_UNKNOWN'))
    return {
      outcome: 'model_unknown',
      abortReason: null,
      summary: errorText({ message: error.message, fix: error.fix }),
    };
  const classified = classifyRpcError(error, now);
  return refusals.includes(classified.outcome)
    ? classified
    : {
        ...classified,
        outcome: 'spawn_failed',
        abortReason: null,
        summary: `The agent could not open a session: ${classified.summary}`,
      };
}

async function deadEnding(
  { agent, errors }: Live,
  { isSpawnFailure }: { isSpawnFailure: boolean },
): Promise<Ending> {
  const end = await agent.exited;
  await Promise.race([over(agent.stderr), pause(drainMs)]);
  if (agent.endedBy !== null)
    return {
      ...classifyEnding(agent.endedBy),
      summary: 'It was ended with its session.',
      exitCode: end.code,
    };
  const { outcome, abortReason } = classifyExit(end);
  const how = end.signal === null ? `with exit code ${end.code}` : `by ${end.signal}`;
  const isOwnClass = outcome === 'missing_binary' || abortReason !== null;
  const crash =
    isSpawnFailure && !isOwnClass
      ? ('spawn_failed' as const)
      : outcome === 'missing_binary'
        ? outcome
        : ('crashed' as const);
  return {
    outcome: crash,
    abortReason: crash === 'crashed' ? (abortReason ?? 'unknown') : abortReason,
    summary: `The agent's process ended ${how} in the middle of its work. ${printed(errors.text())}`.trim(),
    exitCode: end.code,
  };
}

/** The end of what an agent printed besides its messages, without colours. */
function printed(text: string): string {
  const said = shortEnd(stripVTControlCharacters(text).trim(), mostPrinted);
  return said === '' ? '' : `It printed: ${said}`;
}

/** Resolves when a process has ended and what it wrote by then was read: its answer may be in the pipe when it is gone. */
async function lastWords({ exited, stdout }: AgentProcess): Promise<void> {
  await exited;
  await Promise.race([over(stdout), pause(drainMs)]);
  await pause(1);
}

function over(stream: Readable): Promise<unknown> {
  return stream.readableEnded || stream.destroyed
    ? Promise.resolve()
    : new Promise((resolve) => void stream.once('close', resolve).once('end', resolve));
}

/** Some agents tell their cost a moment after their answer. */
async function usageAfter(
  { usage }: PromptResult,
  { reader, live }: { reader: TurnReader; live: Live },
): Promise<void> {
  if (usage !== undefined && usage !== null) return;
  const step = 25;
  for (let waited = 0; waited < lateUsageMs && !reader.usage.told; waited += step)
    await Promise.race([live.agent.exited, pause(step)]);
}

async function hasExited(agent: AgentProcess): Promise<boolean> {
  // A closed pipe is noticed a moment before the end of the process.
  return (await Promise.race([agent.exited.then(() => true), pause(500).then(() => false)])) as boolean;
}

function settle<T>(work: Promise<T>, died: Promise<null>): Promise<{ value: T } | { error: unknown } | null> {
  return Promise.race([
    work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    died,
  ]);
}

/** Waits, without keeping the program alive. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
