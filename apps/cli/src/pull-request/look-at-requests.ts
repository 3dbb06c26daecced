import { requestsInto } from '@baton/contracts';
import { forgeOf, remoteOf, type Forge, type HostChecks, type HostedRequest } from '@baton/janitor';
import { systemClock } from '@baton/service/system';
import type { PullRequest, Run, Store } from '@baton/task-store';

import type { Place } from '../project/project.ts';
import { userPlace } from '../project/user-place.ts';
import type { Call } from '../terminal/call.ts';

/** One pull request, as its host shows it now and as it was written down. */
export interface RequestRow {
  /** Key of its task; null: it is of the whole run. */
  key: string | null;
  branch: string;
  state: PullRequest['state'];
  number: number | null;
  url: string | null;
  mergeCommit: string | null;
  /** What the checks of the host say; null: not known. */
  checks: HostChecks | null;
  /** Its task is CLOSED. */
  landed: boolean;
  /** Why the target does not pass with it. */
  red: string | null;
  /** Why its host cannot be asked. */
  trouble: string | null;
}

/** The pull requests of a run. */
export interface RequestsView {
  runId: string;
  slug: string;
  status: Run['status'];
  /** Each task has one; false: there is one for the whole run. */
  perTask: boolean;
  /** Branch that they go into; null: that of the request itself. */
  into: string | null;
  requests: RequestRow[];
}

/** Makes a look at the pull requests of a run. The host is asked no more often than a worker asks it. */
export function lookAtRequests(
  call: Pick<Call, 'env'>,
  { project, store, run }: { project: Place; store: Store; run: Run },
): () => Promise<RequestsView> {
  const into = requestsInto(run.plan);
  const host = hostOf(call, project, { into: into ?? run.target });
  return async () => {
    const { status } = (await store.runs.get(run.id)) ?? run;
    const known = { runId: run.id, slug: run.slug, status, into, perTask: into !== null };
    if (into === null) return { ...known, requests: await ofRun(host, run.target) };
    const stored = await store.pullRequests.list(run.id);
    return { ...known, requests: await Promise.all(stored.map((each) => rowOf(host, each))) };
  };
}

type Host = ReturnType<typeof hostOf>;

function hostOf(call: Pick<Call, 'env'>, project: Place, { into }: { into: string }) {
  const place = userPlace(call, project);
  const forge = remoteOf(place, into).then(({ url }) => forgeOf(place, url));
  forge.catch(() => undefined); // said by the first look
  const answers = new Map<string, { at: number; answer: Promise<unknown> }>();
  /** The answer of a moment ago, or a new one. */
  return async <T>(name: string, ask: (forge: Forge) => Promise<T>): Promise<T> => {
    const now = systemClock.monotonicMs();
    const before = answers.get(name);
    if (before !== undefined && now - before.at < call.env.requestMs) return before.answer as Promise<T>;
    const answer = forge.then(ask);
    answers.set(name, { at: now, answer });
    return answer;
  };
}

async function ofRun(host: Host, branch: string): Promise<RequestRow[]> {
  const found = await host(branch, (forge) => forge.find(branch));
  const none = { key: null, branch, url: null, mergeCommit: null, checks: null, landed: false, red: null };
  if (!found.ok) return [{ ...none, state: 'opening', number: null, trouble: found.text }];
  return Promise.all(
    found.value.map(async (each) => ({
      ...{ ...none, trouble: null },
      ...seenOf(each),
      ...{ checks: each.state === 'open' ? await checksOf(host, each.number) : null },
    })),
  );
}

async function rowOf(host: Host, stored: PullRequest & { key: string; status: string }): Promise<RequestRow> {
  const { key, branch, state, number, url, mergeCommit, red, trouble } = stored;
  const landed = stored.status === 'CLOSED';
  const known = { key, branch, state, number, url, mergeCommit, landed, red: landed ? null : red, trouble };
  if (number === null || state === 'closed' || landed) return { ...known, checks: null };
  const seen = await host(`${number}`, (forge) => forge.look(number));
  if (!seen.ok) return { ...known, checks: null, trouble: seen.text };
  if (seen.value === null) return { ...known, checks: null };
  const checks = seen.value.state === 'open' ? await checksOf(host, number) : null;
  return { ...known, ...seenOf(seen.value), checks, trouble: trouble ?? null };
}

const seenOf = ({ state, number, url, mergeCommit }: HostedRequest) => ({ state, number, url, mergeCommit });

/** What a token may not read is not known. */
async function checksOf(host: Host, number: number): Promise<HostChecks | null> {
  const asked = await host(`checks ${number}`, (forge) => forge.checks(number));
  return asked.ok ? asked.value : null;
}
