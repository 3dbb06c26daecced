import path from 'node:path';
import type { Clock, Log, TriggerEvent } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { Store } from '@baton/task-store';
import { evaluate, signWebhook, type Evaluation, type TriggerRule } from '@baton/triggers';
import { acceptDelivery, type Decided, type Delivery } from './accept-delivery.ts';
import type { ServerEnv } from '../env.ts';
import { openRulesFile } from './rules-file.ts';
import { createTurns } from '../events/turns.ts';
import { readRuleStates } from './rule-states.ts';
import { createSchedule } from './schedule.ts';
import { startTicker } from '@baton/service';

/** The rules as they hold now. */
export interface RulesReport {
  file: string | null;
  /** What is wrong with the file as it is; the rules are those of its last valid version. */
  problem: string | null;
  rules: TriggerRule[];
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
  /** How long a delivery waits until those before it are over; 30 000 when left out. */
  turnMs?: number;
}

/**
 * Opens the rules and starts the clock of the schedules.
 * @throws FILE_MISSING, CONFIG_INVALID for a wrong file or a malformed secret
 */
export async function openTriggers(options: TriggersOptions): Promise<Triggers> {
  const { store, clock, log, plugins, env, everyMs = 1_000, turnMs = 30_000 } = options;
  // A malformed secret is an error now, not a refusal of every request later.
  for (const secret of env.webhookSecrets) signWebhook('', { secret, id: 'check', at: clock.now() });
  const place = env.triggersFile ?? ownFile(env.repo);
  const file = await openRulesFile(place, { log, mayLack: place !== env.triggersFile });

  const judge = async (event: TriggerEvent): Promise<Decided> => {
    const rules = file.current();
    const state = await readRuleStates(store, rules, { now: clock.now() });
    return { evaluations: evaluate(rules, event, state), decidedOn: state.decidedOn };
  };
  const ctx = { store, log, plugins, env, folder: path.dirname(path.resolve(place ?? '.')) };
  // One at a time: the second of two events sees what the first one started. What another server starts, the store sees.
  const turns = createTurns({ atOnce: 1, waiting: Number.POSITIVE_INFINITY, waitMs: turnMs });
  const underWay = new Set<Promise<unknown>>();
  const accept = (event: TriggerEvent): Promise<Delivery> => {
    const next = turns.take('deliveries', () => acceptDelivery(ctx, event, judge));
    const over: Promise<unknown> = next.catch(() => undefined).then(() => underWay.delete(over));
    underWay.add(over);
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
    evaluate: async (event) => [...(await judge(event)).evaluations],
    accept,
    async close() {
      await ticker.stop();
      await Promise.all(underWay);
    },
  };
}

/** Where the rules of the server's own repository are, or will be; null: it is no folder of this machine. */
function ownFile(repo: string | null): string | null {
  return repo !== null && path.isAbsolute(repo) ? path.join(repo, 'triggers.yaml') : null;
}
