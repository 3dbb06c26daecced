import type { Clock } from '@baton/contracts';
import { installedAgents, type InstalledAgent } from '@baton/spawner';
import type { Store } from '@baton/task-store';

type PastDurations = Store['trust']['pastDurations'];

/** What each task asks for and what hardly changes from one to the next: answers may be some seconds old. */
export interface Recent {
  /** How long agents worked on landed tasks of a role and scope; up to 30 s old where many have landed. */
  durations: PastDurations;
  /** Agents that are installed here; up to 5 s old. */
  agents(): Promise<InstalledAgent[]>;
}

const durationsMs = 30_000;
/** Of fewer each new one counts. */
const manyDurations = 40;
const agentsMs = 5_000;
/** Roles and scopes of the repositories that a worker serves at once are few. */
const most = 200;

/** Makes what is remembered of one worker. */
export function createRecent(options: {
  pastDurations: PastDurations;
  clock: Clock;
  env: Parameters<typeof installedAgents>[0]['env'];
}): Recent {
  const { pastDurations, clock, env } = options;
  const durations = remember(clock, durationsMs, {
    load: (_key: string, filter: Parameters<PastDurations>[0]) => pastDurations(filter),
    keeps: (found) => found.length >= manyDurations,
  });
  const agents = remember(clock, agentsMs, { load: () => installedAgents({ env }), keeps: () => true });
  return {
    durations: (filter) => durations(JSON.stringify([filter.repoId, filter.role, filter.scope]), filter),
    agents: () => agents(''),
  };
}

/** Answers are used again for so long if they are to be kept; what is asked for at the same moment is asked for once. */
function remember<T, Rest extends unknown[]>(
  clock: Clock,
  ms: number,
  { load, keeps }: { load: (key: string, ...rest: Rest) => Promise<T>; keeps: (answer: T) => boolean },
): (key: string, ...rest: Rest) => Promise<T> {
  const known = new Map<string, { until: number; answer: Promise<T> }>();
  return (key, ...rest) => {
    const now = clock.monotonicMs();
    const found = known.get(key);
    if (found !== undefined && now < found.until) return found.answer;
    const kept = { until: now + ms, answer: load(key, ...rest) };
    const drop = () => known.get(key) === kept && known.delete(key);
    kept.answer.then((answer) => keeps(answer) || drop(), drop);
    known.delete(key);
    known.set(key, kept);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return kept.answer;
  };
}
