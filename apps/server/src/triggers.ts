import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BatonError, errorText, type Clock, type Log, type TriggerEvent } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { Store } from '@baton/task-store';
import { evaluate, signWebhook, type Evaluation, type TriggerRule } from '@baton/triggers';
import { interceptDrafts } from './create-tasks.ts';
import type { ServerEnv } from './env.ts';
import { repoPlace, type RepoPlace } from './repo-place.ts';
import { openRulesFile } from './rules-file.ts';
import { readRuleStates } from './rule-states.ts';
import { createSchedule } from './schedule.ts';
import { startTicker } from '@baton/service';

/** The rules as they hold now. */
export interface RulesReport {
  file: string | null;
  /** What is wrong with the file as it stands; the rules are those of its last valid version. */
  problem: string | null;
  rules: TriggerRule[];
}

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

/** Events from outside become tasks, exactly once. */
export interface Triggers {
  rules(): RulesReport;
  /** What the rules would make of an event, and why. Creates nothing. */
  evaluate(event: TriggerEvent): Promise<Evaluation[]>;
  /** Inbox row and tasks in one transaction. @throws DATABASE_UNREACHABLE */
  accept(event: TriggerEvent): Promise<Delivery>;
  close(): Promise<void>;
}

export interface TriggersOptions {
  store: Store;
  clock: Clock;
  log: Log;
  plugins: PluginBus;
  env: Pick<ServerEnv, 'triggersFile' | 'repo' | 'target' | 'runDefaults' | 'webhookSecrets'>;
  /** How often schedules and the rules file are looked at; 1 000 when left out. */
  everyMs?: number;
}

type Match = Parameters<Store['inbox']['accept']>[0]['matches'][number];

const before = { started: false, why: ['this delivery was accepted before'] };

/**
 * Opens the rules and starts the clock of the schedules.
 * @throws FILE_MISSING, CONFIG_INVALID for a wrong file or a malformed secret
 */
export async function openTriggers(options: TriggersOptions): Promise<Triggers> {
  const { store, clock, log, plugins, env, everyMs = 1_000 } = options;
  // A malformed secret is told now, not by refusing every request later.
  for (const secret of env.webhookSecrets) signWebhook('', { secret, id: 'check', at: clock.now() });
  const place = env.triggersFile ?? ownFile(env.repo);
  const file = await openRulesFile(place, { log, mayLack: place !== env.triggersFile });

  const judge = async (event: TriggerEvent): Promise<Evaluation[]> => {
    const rules = file.current();
    const now = clock.now();
    return evaluate(rules, event, { now, rules: await readRuleStates(store, rules, { now }) });
  };
  const acceptNow = async (event: TriggerEvent): Promise<Delivery> => {
    const matches: Match[] = [];
    const rules: RuleAnswer[] = [];
    for (const { rule, fires, why, draft, planned = true, repo, target } of await judge(event)) {
      const passed = fires && draft !== undefined ? await passInterceptors(draft, rule) : null;
      const refused = typeof passed === 'string' ? [passed] : [];
      if (passed === null || typeof passed === 'string') {
        rules.push({ rule, started: false, why: [...why, ...refused] });
        continue;
      }
      rules.push({ rule, started: true, why });
      const place = placeOf(repo);
      matches.push({
        rule,
        repo: place,
        target: target ?? env.target ?? `baton/trigger-${rule}`,
        baseCommit: null,
        draft: passed,
        planned,
        ...(env.runDefaults !== null && isOwn(place) && { defaults: env.runDefaults }),
      });
    }
    const { answer, without } = await acceptWithout(event, matches);
    const told = rules.map((each) => without.find(({ rule }) => rule === each.rule) ?? each);
    return { ...answer, rules: answer.duplicate ? told.map(({ rule }) => ({ rule, ...before })) : told };
  };
  /** One rule whose run cannot be made does not stop the others. Alone it is refused, so that its sender comes again. */
  const acceptWithout = async (event: TriggerEvent, matches: Match[]) => {
    const without: RuleAnswer[] = [];
    for (let left = matches; ;) {
      try {
        return { answer: await store.inbox.accept({ event, matches: left }), without };
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
  };
  /** The draft, or why it is refused. A refusal is final: the delivery is taken without this task, else its sender would come back for ever. */
  const passInterceptors = async (draft: NonNullable<Evaluation['draft']>, rule: string) => {
    try {
      const [passed] = await interceptDrafts(plugins, { runId: null, drafts: [draft] });
      return passed ?? 'A plugin left the task out.';
    } catch (cause) {
      if (!BatonError.is(cause, 'PLUGIN_VETO')) throw cause;
      log.warn('a triggered task was refused', { rule, reason: cause.message });
      return cause.message;
    }
  };
  const folder = path.dirname(path.resolve(place ?? '.'));
  /** The rule's own (relative to its file), else the server's, else the one that the file lies in. */
  const placeOf = (repo: string | undefined) =>
    repo === undefined && env.repo !== null
      ? repoPlace(env.repo, { folder: '.' })
      : repoPlace(repo ?? '.', { folder });

  /** The settings are those of one repository; a rule may name another. */
  const isOwn = (one: RepoPlace) => isDeepStrictEqual(one, placeOf(undefined));

  // One at a time: the second of two events must see what the first one started, or limits would not hold.
  let last: Promise<unknown> = Promise.resolve();
  const accept = (event: TriggerEvent): Promise<Delivery> => {
    const next = last.then(() => acceptNow(event));
    last = next.catch(() => undefined);
    return next;
  };
  const fireDue = createSchedule({ store, clock, log, rules: () => file.current(), accept });
  const ticker = startTicker('firing schedules', {
    everyMs,
    log,
    run: async () => {
      await file.refresh();
      await fireDue();
    },
  });
  return {
    rules: () => ({ file: file.file(), problem: file.problem(), rules: file.current().rules }),
    evaluate: judge,
    accept,
    async close() {
      await ticker.stop();
      await last;
    },
  };
}

/** Where the rules of the server's own repository are, or will be; null: it is no folder of this machine. */
function ownFile(repo: string | null): string | null {
  return repo !== null && path.isAbsolute(repo) ? path.join(repo, 'triggers.yaml') : null;
}
