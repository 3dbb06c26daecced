import path from 'node:path';
import { BatonError, errorText, type AgentEvent, type ErrorCode, type Review } from '@baton/contracts';
import { diffChange } from '@baton/janitor';
import { diskTrouble, openAgent, redactor, type Workspace } from '@baton/spawner';
import type { ClaimedTask } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { environmentOf } from '../open/agent-settings.ts';
import { vetoOfSpawn, type OpenBatch } from '../open/open-batch.ts';
import { permissionPolicy } from '../open/permission.ts';
import type { Meter } from './meter.ts';
import { signMs } from './signs-of-life.ts';
import { readAnswer } from '../review/review-answer.ts';
import { longestPatch, reviewPrompt } from '../review/review-prompt.ts';
import type { Question } from '../review/review-questions.ts';
import type { ChosenReviewer } from '../review/choose-reviewer.ts';

/** What a reviewer is asked about, and by which means. */
export interface Asked {
  claimed: ClaimedTask;
  range: { startCommit: string; headCommit: string };
  reviewer: ChosenReviewer;
  timeoutMs: number;
  questions: readonly Question[];
  meter: Meter;
  signal: AbortSignal;
  /** Told when a process of the reviewer was started. */
  onSpawn: () => void;
}

/** What came of asking: all answers, or why there are none. */
export type Said = Pick<Review, 'answers' | 'unanswered'>;

/** How often an answer that cannot be read is asked for. */
const mostAsks = 2;
/** The end of what it says is what counts. */
const keptCharacters = 200_000;
/** Places in the stream of a review come after all of its author's: usage is booked once for each place. */
const firstOffset = 2 ** 40;
const offsetsOfAnAsk = 2 ** 36;

/**
 * Lets a reviewer read the change of a task in a worktree of its own at the start of the change, so that nothing the author
 * left in files instructs it. How it ended is an answer or the lack of one, never an error.
 * @throws WORKSPACE_FAILED when the disk is full; what booking its usage threw
 */
export async function askReviewer(ctx: WorkerContext, batch: OpenBatch, asked: Asked): Promise<Said> {
  const { agentPool } = batch.repo;
  const place = await placeOf(ctx, batch, asked);
  if ('unanswered' in place) return place;
  const { name: agentName, model } = asked.reviewer;
  try {
    const route = { agentName, model };
    const veto = await vetoOfSpawn(ctx, { claim: batch.claim, route, workspace: place.workspace });
    return veto === null ? await askIn(ctx, batch, { ...asked, ...place }) : nothing(veto);
  } finally {
    await agentPool.release(place.workspace);
  }
}

/** What keeps a worktree from being made, but for a full disk, says nothing of the work. */
const noPlace: readonly ErrorCode[] = ['SETUP_FAILED', 'WORKSPACE_FAILED', 'PATH_OUTSIDE', 'GIT_FAILED'];

async function placeOf(
  ctx: WorkerContext,
  batch: OpenBatch,
  asked: Asked,
): Promise<{ patch: Patch; workspace: Workspace } | Said> {
  const { reviewer, range } = asked;
  try {
    const patch = await patchText(ctx, batch, asked);
    if (patch.isShortened && 'in_process' in reviewer.definition)
      return nothing(
        `the change is too long for ${reviewer.name}, which cannot read the rest of it with git`,
      );
    return { patch, workspace: await batch.repo.agentPool.acquire({ head: range.startCommit, owner: null }) };
  } catch (error) {
    const passes = !BatonError.is(error) || !noPlace.includes(error.code);
    if (passes || diskTrouble(ctx.stateDir, error) !== null) throw error;
    return nothing(errorText(error));
  }
}

async function askIn(
  ctx: WorkerContext,
  batch: OpenBatch,
  asked: Asked & { patch: Patch; workspace: Workspace },
): Promise<Said> {
  const { claimed, questions, range, reviewer, timeoutMs, patch, workspace, signal } = asked;
  const { task } = claimed;
  const agent = startReviewer(ctx, batch, asked);
  const nonce = ctx.ids.uuid();
  const request = { nonce, task, questions, ...range, ...patch };
  const taskFile = {
    ...{ id: task.id, key: task.key, title: task.title, goal: task.goal, files: [] },
    ...{ attempt: claimed.attempt.number, rejections: [] },
  };
  let unreadable: string | null = null;
  try {
    for (let ask = 0; ask < mostAsks; ask += 1) {
      const first = firstOffset + ask * offsetsOfAnAsk;
      const said = listener(ctx, batch, { ...asked, firstOffset: first });
      const prompt = reviewPrompt({ ...request, unreadable });
      const ended = await agent.runTask({ prompt, taskFile, timeoutMs, signal }, said);
      if (ended.outcome !== 'done')
        return nothing(`${reviewer.name} ended without an answer (${ended.outcome}: ${ended.summary})`);
      const read = readAnswer(`${said.text()}\n${ended.summary}`, { nonce, questions });
      if (read.ok) return { answers: read.answers, unanswered: null };
      unreadable = read.why;
    }
  } finally {
    await agent.close();
    const planted = await batch.repo.clone.restore();
    if (planted.length > 0)
      ctx.log.warn('a reviewer changed our clone; it was put back', { path: workspace.path, planted });
  }
  return nothing(`what ${reviewer.name} answered cannot be read: ${unreadable ?? ''}`);
}

export const nothing = (unanswered: string): Said => ({ answers: [], unanswered });

function startReviewer(
  ctx: WorkerContext,
  { claim }: OpenBatch,
  { reviewer, timeoutMs, workspace, claimed }: Asked & { workspace: Workspace },
) {
  const { definition } = reviewer;
  return openAgent({
    ...reviewer,
    workspace,
    env: environmentOf(ctx, { claim, definition }),
    // One of its own: what ends the author's processes must not end these, nor the other way round.
    marker: ctx.ids.uuid(),
    stateDir: ctx.stateDir,
    clock: ctx.clock,
    limits: { lifetimeMs: mostAsks * timeoutMs },
    logFile: path.join(ctx.logsDir, `${claim.sessionId}-review-${claimed.task.key}.log`),
    redact: redactor(ctx.operatorEnv),
    permission: permissionPolicy(ctx, { claim, workspace, current: { taskId: claimed.task.id } }),
  });
}

/** Books what a review costs, keeps what it says, and shows that it is at work. */
function listener(
  ctx: WorkerContext,
  { claim }: OpenBatch,
  {
    meter,
    reviewer,
    onSpawn,
    firstOffset: first,
  }: Pick<Asked, 'meter' | 'reviewer' | 'onSpawn'> & { firstOffset: number },
) {
  let said = '';
  let lastSign = 0;
  const placed = (event: AgentEvent): AgentEvent => {
    if (event.type === 'usage') return { ...event, offset: first + event.offset };
    if (event.type === 'unmeasured' && event.atMost !== undefined)
      return { ...event, atMost: { ...event.atMost, offset: first + event.atMost.offset } };
    return event;
  };
  return {
    text: () => said,
    onSpawn,
    onTold: (event: AgentEvent) => meter.notice(placed(event)),
    async onEvent(event: AgentEvent): Promise<void> {
      await meter.hear(event);
      if (event.type !== 'message' || (event.kind !== 'assistant' && event.kind !== 'stdout')) return;
      said = `${said}${event.text}`.slice(-keptCharacters);
      const lastSignAt = ctx.clock.now();
      if (lastSignAt.getTime() - lastSign < signMs) return;
      lastSign = lastSignAt.getTime();
      const activity = `reviewed by ${reviewer.name}`;
      await ctx.store.streams.touchSession(claim.sessionId, { activity, lastSignAt });
    },
  };
}

interface Patch {
  patch: string;
  isShortened: boolean;
}

/** A patch that is too large to be kept is left out: then the reviewer reads it with git. @throws GIT_FAILED */
async function patchText(ctx: WorkerContext, { repo }: OpenBatch, { range }: Asked): Promise<Patch> {
  const { startCommit: from, headCommit: to } = range;
  const diff = (patch: boolean) => diffChange({ git: ctx.git, repo: repo.clone.path, from, to, patch });
  const { stat, text } = await diff(true).catch((error: unknown) => {
    if (!BatonError.is(error, 'GIT_FAILED')) throw error;
    return diff(false);
  });
  const whole = `${stat}\n${text ?? ''}`;
  return { patch: whole.slice(0, longestPatch), isShortened: text === null || whole.length > longestPatch };
}
