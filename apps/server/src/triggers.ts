import path from 'node:path';
import { BatonError, type Clock, type Log, type TriggerEvent } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { Store } from '@baton/task-store';
import { evaluate, signWebhook, type Evaluation, type TriggerRule } from '@baton/triggers';
import { interceptDrafts } from './create-tasks.ts';
import type { ServerEnv } from './env.ts';
import { repoPlace, type RepoPlace } from './repo-place.ts';
import { openRulesFile } from './rules-file.ts';
import { readRuleStates } from './rule-states.ts';
import { createSchedule } from './schedule.ts';
import { startTicker } from './ticker.ts';

/** The rules as they hold now. */
export interface RulesReport {
  file: string | null;
  /** What is wrong with the file as it stands; the rules are those of its last valid version. */
  problem: string | null;
  rules: TriggerRule[];
}

/** What became of a delivery. */
export interface Delivery {
  /** It was accepted before; the answer is that of the first time. */
  duplicate: boolean;
  taskIds: string[];
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

/**
 * Opens the rules and starts the clock of the schedules.
 * @throws FILE_MISSING, CONFIG_INVALID for a wrong file or a malformed secret
 */
export async function openTriggers(options: TriggersOptions): Promise<Triggers> {
  const { store, clock, log, plugins, env, everyMs = 1_000 } = options;
  // A malformed secret is told now, not by refusing every request later.
  for (const secret of env.webhookSecrets) signWebhook('', { secret, id: 'check', at: clock.now() });
  const file = await openRulesFile(env.triggersFile, { log });

  const judge = async (event: TriggerEvent): Promise<Evaluation[]> => {
    const rules = file.current();
    const now = clock.now();
    return evaluate(rules, event, { now, rules: await readRuleStates(store, rules, { now }) });
  };
  const acceptNow = async (event: TriggerEvent): Promise<Delivery> => {
    const matches = [];
    for (const { rule, fires, draft, planned = true, repo, target } of await judge(event)) {
      if (!fires || draft === undefined) continue;
      const passed = await passInterceptors(draft, rule);
      if (passed === null) continue;
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
    return store.acceptDelivery({ event, matches });
  };
  /** A refusal is final: the delivery is taken without this task, else its sender would come back for ever. */
  const passInterceptors = async (draft: NonNullable<Evaluation['draft']>, rule: string) => {
    try {
      const [passed] = await interceptDrafts(plugins, { runId: null, drafts: [draft] });
      return passed ?? null;
    } catch (cause) {
      if (!BatonError.is(cause, 'PLUGIN_VETO')) throw cause;
      log.warn('a triggered task was refused', { rule, reason: cause.message });
      return null;
    }
  };
  const folder = path.dirname(path.resolve(env.triggersFile ?? '.'));
  /** The rule's own (relative to its file), else the server's, else the one that the file lies in. */
  const placeOf = (repo: string | undefined) =>
    repo === undefined && env.repo !== null
      ? repoPlace(env.repo, { folder: '.' })
      : repoPlace(repo ?? '.', { folder });

  const own = placeOf(undefined);
  /** The settings are those of one repository; a rule may name another. */
  const isOwn = ({ location, host }: RepoPlace) => location === own.location && host === own.host;

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
    rules: () => ({ file: env.triggersFile, problem: file.problem(), rules: file.current().rules }),
    evaluate: judge,
    accept,
    async close() {
      await ticker.stop();
      await last;
    },
  };
}
