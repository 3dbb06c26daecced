import type { Attempt } from '@baton/task-store';
import { Court } from './court.ts';
import { leftovers } from './leftovers.ts';
import type { Played } from './play.ts';
import { logArguments, readLog, standsBetween, standsOf, type LandedCommit, type Stand } from './timeline.ts';

/** What a history came to. */
export interface Judgement {
  problems: string[];
  landed: number;
  rejected: number;
  conflicts: number;
  /** Work that was refused for nothing, by a gate that fails at random. */
  wronglyRed: number;
}

/** Clocks of two processes are read at slightly different moments. */
const slackMs = 30;

interface Case {
  played: Played;
  court: Court;
  stands: readonly Stand[];
  commits: ReadonlyMap<string, LandedCommit>;
  problems: string[];
}

/** Judges what is left of a history by plain git and the gate alone. */
export async function judge(played: Played, plainGate: string): Promise<Judgement> {
  const court = new Court(played.place, plainGate);
  const stands = standsOf(played);
  const heads = stands.map(({ commit }) => commit);
  const commits = readLog(await court.git(...logArguments(heads, played.place.base)));
  const one: Case = { played, court, stands, commits, problems: [...played.problems] };
  const ranges = played.attempts.flatMap(({ startCommit, headCommit }) => [startCommit, headCommit]);
  await court.learn([...heads, ...commits.keys(), ...ranges.filter((id) => id !== null)]);
  for (const stand of stands) await judgeMove(one, stand);
  for (const commit of commits.values()) await judgeCommit(one, commit);
  judgeEnd(one);
  const ended = played.attempts.filter(({ outcome }) => outcome !== null && outcome !== 'done');
  let wronglyRed = 0;
  for (const attempt of ended) wronglyRed += await judgeRefusal(one, attempt);
  if (wronglyRed > played.lies)
    one.problems.push(`${wronglyRed} refused for nothing, more than the gate was wrong`);
  one.problems.push(...(await leftovers(played)));
  return {
    problems: one.problems,
    landed: played.tasks.filter(({ status }) => status === 'CLOSED').length,
    rejected: ended.filter(({ outcome }) => outcome === 'rejected').length,
    conflicts: ended.filter(({ outcome }) => outcome === 'conflict').length,
    wronglyRed,
  };
}

const short = (id: string): string => id.slice(0, 9);

/** What moved the target: forward, by landed work alone, to a green tree, and not away from what had landed. */
async function judgeMove({ played, court, stands, commits, problems }: Case, stand: Stand): Promise<void> {
  const { from, commit, byPerson } = stand;
  if (byPerson || from === null) return;
  const at = stands.indexOf(stand);
  if (!(await court.isGreen(await court.treeOf(commit))))
    problems.push(`the target was at ${short(commit)}, which is red`);
  for (let step = commit; step !== from; step = commits.get(step)?.parents[0] ?? '') {
    const passed = commits.get(step);
    if (passed === undefined) {
      problems.push(`the target was moved from ${short(from)} to ${short(commit)}, which does not follow it`);
      return;
    }
    if (passed.taskId === null)
      problems.push(`${short(passed.id)} was moved to and is not the work of a task`);
  }
  for (const landing of played.landings) {
    const taken = stands.slice(0, at).findLast(({ byPerson: own }) => own);
    if (taken === undefined || landing.confirmedAt.getTime() >= taken.earliestMs) continue;
    if (!(await court.isAncestor(landing.commit, from)))
      problems.push(
        `${short(commit)} landed on ${short(from)}, from which ${short(landing.commit)} had been taken back`,
      );
  }
}

/** What a landed commit holds: the range of its attempt, merged onto its parent. */
async function judgeCommit({ played, court, problems }: Case, commit: LandedCommit): Promise<void> {
  const { id, taskId, parents, tree } = commit;
  if (taskId === null) return;
  const own = played.attempts.find((each) => each.taskId === taskId && each.number === commit.attempt);
  const [onto, ...others] = parents;
  if (own === undefined || onto === undefined || others.length > 0) {
    problems.push(`${short(id)} is no work of this run`);
    return;
  }
  if (await court.hasMarks(id)) problems.push(`${short(id)} holds the marks of a conflict`);
  if (played.history.everyCommit && !(await court.isGreen(tree)))
    problems.push(`${short(id)} is red, and each commit was to be judged`);
  const wanted = await court.merged({ start: own.startCommit ?? '', onto, head: own.headCommit ?? '' });
  if (wanted.kind === 'conflict')
    problems.push(`${short(id)} landed, and its work conflicts with ${short(onto)}`);
  else if (wanted.tree !== tree)
    problems.push(`${short(id)} is not the work of attempt ${own.number} on ${short(onto)}`);
}

/** Each task that is closed has exactly one commit on the target, the one that the store names; no other has any. */
function judgeEnd({ played, stands, commits, problems }: Case): void {
  const reached = new Set<string>();
  const open = [stands.at(-1)?.commit ?? played.place.base];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const commit = commits.get(id);
    if (commit === undefined || reached.has(id)) continue;
    reached.add(id);
    open.push(...commit.parents);
  }
  const onTarget = [...reached]
    .flatMap((id) => commits.get(id) ?? [])
    .filter(({ taskId }) => taskId !== null);
  for (const { id, key, status, settled } of played.tasks) {
    const own = onTarget.filter(({ taskId }) => taskId === id);
    const landings = played.landings.filter(({ taskId }) => taskId === id);
    const wanted = status === 'CLOSED' ? 1 : 0;
    if (own.length !== wanted) problems.push(`${key} is ${status} with ${own.length} commits on the target`);
    if (landings.length !== wanted) problems.push(`${key} is ${status} with ${landings.length} landings`);
    if (own.length === 1 && landings.length === 1 && own[0]?.id !== landings[0]?.commit)
      problems.push(`${key} landed as another commit than the store says`);
    if (!settled) problems.push(`${key} is left as ${status}`);
  }
  const status = played.tasks.every((task) => task.status === 'CLOSED') ? 'done' : 'failed';
  if (played.problems.length === 0 && played.run.status !== status && played.run.status !== 'cancelled')
    problems.push(`the run is ${played.run.status} and not ${status}`);
}

/** Whether a refusal is right on some value that the target had while the work waited; gives 1 for one by a gate that was wrong. */
async function judgeRefusal({ played, court, stands, problems }: Case, attempt: Attempt): Promise<number> {
  const { outcome, startCommit, headCommit, endedAt, taskId } = attempt;
  const key = played.tasks.find(({ id }) => id === taskId)?.key ?? taskId;
  if (outcome === 'cancelled') return 0;
  if (outcome !== 'rejected' && outcome !== 'conflict') {
    problems.push(
      `attempt ${attempt.number} of ${key} ended as ${outcome ?? 'nothing'}: ${attempt.rejections.join(' ')}`,
    );
    return 0;
  }
  const fromMs = (played.doneAt.get(attempt.id) ?? 0) - slackMs;
  const toMs = (endedAt?.getTime() ?? Infinity) + slackMs;
  if (attempt.rejections.length === 0)
    problems.push(`attempt ${attempt.number} of ${key} was refused without a reason`);
  for (const { commit: onto } of standsBetween(stands, { fromMs, toMs })) {
    const merged = await court.merged({ start: startCommit ?? '', onto, head: headCommit ?? '' });
    if (merged.kind === 'conflict' && outcome === 'conflict') return 0;
    if (merged.kind === 'conflict' || outcome === 'conflict') continue;
    const before = await court.treeOf(onto);
    if (merged.tree === before) return 0;
    if ((await court.isGreen(before)) && !(await court.isGreen(merged.tree))) return 0;
  }
  if (outcome === 'rejected' && played.lies > 0) return 1;
  problems.push(
    `attempt ${attempt.number} of ${key} was refused for nothing (${outcome}): ${attempt.rejections.join(' ')}`,
  );
  return 0;
}
