import { isDeepStrictEqual } from 'node:util';
import { BatonError, errorText, type Log, type TaskDraft, type TriggerEvent } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { Store } from '@baton/task-store';
import type { Evaluation } from '@baton/triggers';
import { interceptDrafts } from '../tasks/create-tasks.ts';
import type { ServerEnv } from '../env.ts';
import type { LimitState } from './rule-states.ts';
import { repoPlace, type RepoPlace } from '../tasks/repo-place.ts';

/** What a rule made of a delivery. */
export interface RuleAnswer {
  rule: string;
  /** It made a task. */
  started: boolean;
  /** Why it did or did not. */
  why: string[];
}

/** What became of a delivery. */
export interface Delivery {
  /** It was accepted before: the tasks are those of the first time, and no rule starts anything again. */
  duplicate: boolean;
  taskIds: string[];
  rules: RuleAnswer[];
}

/** What deliveries are accepted with. */
export interface DeliveryContext {
  store: Store;
  log: Log;
  plugins: PluginBus;
  env: Pick<ServerEnv, 'repo' | 'target' | 'runDefaults'>;
  /** Folder of the rules file: the repositories of its rules are relative to it. */
  folder: string;
}

/** What the rules make of an event, and the state of their limits that this was decided on. */
export interface Decided {
  evaluations: readonly Evaluation[];
  decidedOn: LimitState['decidedOn'];
}

type Match = Parameters<Store['inbox']['accept']>[0]['matches'][number];

const before = 'this delivery was accepted before';
const beforeWithOther =
  'a delivery with this id was accepted before, with other data: nothing is made of it; give each event an id of its own';

/** How often rules are evaluated again because other deliveries overtook them. */
const decideTries = 50;

/**
 * Makes the tasks of an event as the rules say. The store refuses what was decided on limits that no longer hold; then the rules are
 * evaluated again. @throws DATABASE_UNREACHABLE, STALE
 */
export async function acceptDelivery(
  ctx: DeliveryContext,
  event: TriggerEvent,
  judge: (event: TriggerEvent) => Promise<Decided>,
): Promise<Delivery> {
  for (let attempt = 0; attempt < decideTries; attempt++) {
    const delivery = await acceptAs(ctx, event, await judge(event));
    if (delivery !== null) return delivery;
  }
  throw new BatonError('STALE', `Delivery ${event.deliveryId} was overtaken ${decideTries} times.`, {
    fix: 'Deliver it again.',
  });
}

/** Null: other deliveries have made tasks that count for the limits. */
async function acceptAs(
  ctx: DeliveryContext,
  event: TriggerEvent,
  { evaluations, decidedOn }: Decided,
): Promise<Delivery | null> {
  const matches: Match[] = [];
  const rules: RuleAnswer[] = [];
  for (const evaluation of evaluations) {
    const { rule, fires, why, draft } = evaluation;
    const passed = fires && draft !== undefined ? await passInterceptors(ctx, draft, rule) : null;
    const refused = typeof passed === 'string' ? [passed] : [];
    if (passed === null || typeof passed === 'string') {
      rules.push({ rule, started: false, why: [...why, ...refused] });
      continue;
    }
    rules.push({ rule, started: true, why });
    matches.push(matchOf(ctx, evaluation, passed));
  }
  const { answer, without } = await acceptWithout(ctx, { event, decidedOn }, matches);
  if (answer.overtaken) return null;
  const { overtaken: _, differs, ...accepted } = answer;
  if (differs)
    ctx.log.warn('a delivery has the id of another one, with other data; nothing is made of it', {
      ...{ source: event.source, delivery: event.deliveryId },
    });
  const told = rules.map((each) => without.find(({ rule }) => rule === each.rule) ?? each);
  const why = [differs ? beforeWithOther : before];
  return {
    ...accepted,
    rules: answer.duplicate ? told.map(({ rule }) => ({ rule, started: false, why })) : told,
  };
}

/**
 * The draft, or why it is refused. A refusal is final: the delivery is taken without this task, else its sender would
 * retry it without end.
 */
async function passInterceptors(
  { plugins, log }: DeliveryContext,
  draft: TaskDraft,
  rule: string,
): Promise<TaskDraft | string> {
  try {
    const [passed] = await interceptDrafts(plugins, { runId: null, drafts: [draft] });
    return passed ?? 'A plugin left the task out.';
  } catch (cause) {
    if (!BatonError.is(cause, 'PLUGIN_VETO')) throw cause;
    log.warn('a triggered task was refused', { rule, reason: cause.message });
    return cause.message;
  }
}

function matchOf(ctx: DeliveryContext, evaluation: Evaluation, draft: TaskDraft): Match {
  const { env } = ctx;
  const { rule, planned = true, repo, target } = evaluation;
  const place = placeOf(ctx, repo);
  // The settings are those of one repository; a rule may name another.
  const isOwn = isDeepStrictEqual(place, placeOf(ctx, undefined));
  return {
    rule,
    repo: place,
    target: target ?? env.target ?? `baton/trigger-${rule}`,
    baseCommit: null,
    draft,
    planned,
    ...(env.runDefaults !== null && isOwn && { defaults: env.runDefaults }),
  };
}

/** The rule's own (relative to its file), else the server's, else the one that the file lies in. */
function placeOf({ env, folder }: DeliveryContext, repo: string | undefined): RepoPlace {
  return repo === undefined && env.repo !== null
    ? repoPlace(env.repo, { folder: '.' })
    : repoPlace(repo ?? '.', { folder });
}

/** One rule whose run cannot be made does not stop the others. Alone it is refused, so that its sender comes again. */
async function acceptWithout(
  { store, log }: DeliveryContext,
  { event, decidedOn }: { event: TriggerEvent; decidedOn: Decided['decidedOn'] },
  matches: Match[],
) {
  const without: RuleAnswer[] = [];
  for (let left = matches; ;) {
    try {
      return { answer: await store.inbox.accept({ event, matches: left, decidedOn }), without };
    } catch (cause) {
      const rule = BatonError.is(cause, 'CONFLICT') ? cause.details?.['rule'] : undefined;
      if (!BatonError.is(cause) || typeof rule !== 'string' || left.every((each) => each.rule === rule))
        throw cause;
      left = left.filter((each) => each.rule !== rule);
      without.push({ rule, started: false, why: [errorText(cause)] });
      log.error('a rule could not start its task', {
        rule,
        delivery: event.deliveryId,
        reason: cause.message,
      });
    }
  }
}
