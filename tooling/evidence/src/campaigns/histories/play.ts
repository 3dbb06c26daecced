import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attempt, Run, Store, StoredVerdict, Task } from '@baton/task-store';
import { existsSync, readFileSync } from 'node:fs';
import { Author, authorLabel, type Due } from './author.ts';
import type { History } from './history.ts';
import { Person } from './person.ts';
import { moveAuthor, openPlace, type Place } from './place.ts';
import type { Struck } from './steps.ts';
import type { Team } from './team.ts';

/** Where histories are played. */
export interface Stage {
  store: Store;
  team: Team;
  /** Folder of all histories of this stage. */
  folder: string;
  /** An empty bare repository. */
  template: string;
  /** The gate, as files for `sh`. */
  gate: { asked: string; plain: string };
  /** Registered worker as which the author claims. */
  workerId: string;
}

/** What came of a history, before it is judged. */
export interface Played {
  history: History;
  place: Place;
  run: Run;
  tasks: Task[];
  attempts: Attempt[];
  verdicts: StoredVerdict[];
  landings: { taskId: string; attemptId: string; commit: string; tree: string; confirmedAt: Date }[];
  doneAt: ReadonlyMap<string, number>;
  person: Person;
  struck: readonly Struck[];
  /** Runs of the gate that were red for nothing. */
  lies: number;
  gateRuns: number;
  problems: string[];
}

const by = { actor: 'operator:ada', reason: 'a history' };
const lookMs = 60;
/** What needs a person is rare: it is looked for at each such look only. */
const carefulEach = 4;
const longestMs = 180_000;
const mostTries = 4;
const mostResumed = 12;
const noticingMs = 200;
const mostNoticing = 20;

/** Plays a history to its end, and says what is left of it in the store and beside it. The repositories stay until they are judged. */
export async function play(history: History, stage: Stage): Promise<Played> {
  const folder = path.join(stage.folder, `h-${history.seed}`);
  const place = await openPlace(history, { ...stage, folder });
  const { run, tasks } = await createRun(history, { stage, place });
  moveAuthor(place, { folder, repoId: run.repoId });
  const author = new Author({ ...stage, place });
  const person = new Person(place, history.works);
  const course = new Course({ history, stage, place, run, tasks, author, person });
  const struck = await stage.team.arm(history.blows);
  await course.begin();
  await course.toItsEnd();
  await stage.team.settle();
  await course.freeLane();
  const { store } = stage;
  const listed = (await store.tasks.list({ runId: run.id, limit: 100 })).items;
  const verdicts = await Promise.all(listed.map(({ id }) => store.tasks.verdicts(id)));
  return {
    ...{ history, place, person, struck, doneAt: author.doneAt },
    run: (await store.runs.get(run.id)) ?? run,
    tasks: listed,
    attempts: await store.tasks.listAttempts({ runId: run.id }),
    verdicts: verdicts.flat(),
    landings: await store.tasks.landings({ runId: run.id }),
    lies: existsSync(place.lied) ? readFileSync(place.lied, 'utf8').split('\n').length - 1 : 0,
    gateRuns: Number(readFileSync(place.asked, 'utf8')),
    problems: [...course.problems, ...person.problems],
  };
}

async function createRun(
  { seed, works, lies, everyCommit }: History,
  { stage, place }: { stage: Stage; place: Place },
): Promise<{ run: Run; tasks: Task[] }> {
  const command = ['sh', stage.gate.asked, place.asked, place.lied, ` ${lies.join(' ')} `];
  const made = await stage.store.runs.create(
    {
      name: `history ${seed}`,
      slug: `h-${seed}-${path.basename(stage.folder)}`,
      repo: place.isRemote
        ? { location: place.location, host: null }
        : { location: place.location, host: hostname() },
      ...{ target: place.branch, baseCommit: place.base, batchSize: 1 },
      gates: [{ name: 'gate', command, ...(everyCommit ? { every_commit: true } : {}) }],
      plan: { weakened: 'tell' },
      tasks: works.map(({ key, retries }) => ({ key, labels: [authorLabel], maxRetries: retries })),
    },
    by,
  );
  await stage.store.runs.approvePlan(made.run.id, by);
  return made;
}

/** The course of one history: who does what when. */
class Course {
  private readonly given: {
    history: History;
    stage: Stage;
    place: Place;
    run: Run;
    tasks: readonly Task[];
    author: Author;
    person: Person;
  };
  /** Keys of works that were made once. */
  private readonly begun = new Set<string>();
  private waitingActs: History['person'];
  private acting: Promise<void> = Promise.resolve();
  private isActing = false;
  private looks = 0;
  private resumed = 0;
  readonly problems: string[] = [];

  constructor(given: Course['given']) {
    this.given = given;
    this.waitingActs = given.history.person;
  }

  /** The works on the base. Where all of them wait together, the lane is held until they are done. */
  async begin(): Promise<void> {
    const { history, stage, run, author } = this.given;
    const first = history.works.filter(({ later }) => later === null);
    const { lanes } = stage.store;
    const place = { repoId: run.repoId, target: run.target, workerId: stage.workerId, leaseMs: 30_000 };
    const lane = history.together ? await lanes.acquire(place) : null;
    await author.finish(first.map((work) => this.dueOf(work, 'base')));
    if (lane !== null) await lanes.release(lane);
  }

  async toItsEnd(): Promise<void> {
    const startedMs = performance.now();
    while (!(await this.step())) {
      if (performance.now() - startedMs > longestMs) {
        this.problems.push(`it does not end: ${await this.situation()}`);
        await this.given.stage.store.runs.cancel(this.given.run.id, by).catch(() => undefined);
        return;
      }
      await delay(lookMs);
    }
  }

  /** Nobody holds the lane in the end, and no intent is open. */
  async freeLane(): Promise<void> {
    const { stage, run } = this.given;
    const { lanes } = stage.store;
    const place = { repoId: run.repoId, target: run.target, workerId: stage.workerId, leaseMs: 30_000 };
    for (let look = 0; look < 300; look += 1) {
      const lane = await lanes.acquire(place);
      if (lane === null) {
        await delay(lookMs);
        continue;
      }
      const open = await lanes.openIntents(lane);
      await lanes.release(lane);
      if (open.length > 0) this.problems.push(`${open.length} intents are open`);
      return;
    }
    this.problems.push('the lane is held though nothing waits');
  }

  private dueOf(work: History['works'][number], on: Due['on']): Due {
    const task = this.given.tasks.find(({ key }) => key === work.key);
    if (task === undefined) throw new Error(`there is no task ${work.key}`);
    this.begun.add(work.key);
    return { work, task, on };
  }

  /** One look at the run, and what follows from it. True: the history is over. */
  private async step(): Promise<boolean> {
    const { stage, run } = this.given;
    const { items: tasks } = await stage.store.tasks.list({ runId: run.id, limit: 100 });
    const settled = tasks.filter((task) => task.settled).length;
    const isIdle = tasks.every((task) => task.settled || !this.begun.has(task.key));
    this.startAct({ settled, isIdle });
    await this.doWork(tasks, { settled, isIdle });
    this.looks += 1;
    if (this.looks % carefulEach === 0) {
      await this.decide();
      await this.care(tasks);
    }
    return settled === tasks.length && this.waitingActs.length === 0 && !this.isActing;
  }

  private startAct({ settled, isIdle }: { settled: number; isIdle: boolean }): void {
    const [next, ...others] = this.waitingActs;
    if (next === undefined || this.isActing || (next.decided > settled && !isIdle)) return;
    this.waitingActs = others;
    this.isActing = true;
    this.acting = this.given.person
      .act(next, () => this.noticed())
      .catch((error: unknown) => void this.problems.push(String(error)))
      .finally(() => (this.isActing = false));
  }

  /** A person who is told that the run is held puts right what they did; one who is not told does so a while later. */
  private async noticed(): Promise<void> {
    const { stage, run } = this.given;
    for (let look = 0; look < mostNoticing; look += 1) {
      const { items } = await stage.store.tasks.list({ runId: run.id, limit: 100 });
      const status = (await stage.store.runs.get(run.id))?.status;
      if (status === 'paused' || items.every((task) => task.settled || !this.begun.has(task.key))) return;
      await delay(noticingMs);
    }
  }

  /** What is due for the first time, and what came back. */
  private async doWork(
    tasks: readonly Task[],
    { settled, isIdle }: { settled: number; isIdle: boolean },
  ): Promise<void> {
    const { history, author, stage } = this.given;
    const due: Due[] = [];
    for (const work of history.works) {
      const task = tasks.find(({ key }) => key === work.key);
      if (task?.status !== 'OPEN') continue;
      const { later } = work;
      if (!this.begun.has(work.key)) {
        if (later !== null && (later.decided <= settled || isIdle)) due.push(this.dueOf(work, later.on));
        continue;
      }
      const tries = await stage.store.tasks.attempts(task.id);
      if (tries.length < mostTries) due.push(this.dueOf(work, 'head'));
      else await stage.store.tasks.cancel(task.id, by);
    }
    if (due.length > 0) await author.finish(due);
  }

  /** A person says yes to what waits for them. */
  private async decide(): Promise<void> {
    const { stage, run } = this.given;
    for (const { id, nonce } of await stage.store.approvals.list({ runId: run.id, status: 'waiting' }))
      await stage.store.approvals.decide(id, { ...by, approve: true, nonce });
  }

  /** A run that is held is put right and resumed. */
  private async care(tasks: readonly Task[]): Promise<void> {
    const { stage, run, person } = this.given;
    if ((await stage.store.runs.get(run.id))?.status !== 'paused' || tasks.every((task) => task.settled))
      return;
    await this.acting;
    await person.bringBack();
    await person.mend();
    this.resumed += 1;
    if (this.resumed > mostResumed)
      throw new Error(`the run is held again and again: ${await this.situation()}`);
    await stage.store.runs.resume(run.id, by);
    // Gates of a target are asked again each minute, and at once by whoever begins.
    await stage.team.renew();
  }

  private async situation(): Promise<string> {
    const { stage, run } = this.given;
    const { items } = await stage.store.tasks.list({ runId: run.id, limit: 100 });
    const described = await Promise.all(
      items
        .filter((task) => !task.settled)
        .map(async ({ id, key, status }) => {
          const { cause, text } = await stage.store.tasks.explain(id);
          return `${key} ${status} ${cause}: ${text}`;
        }),
    );
    return described.join('; ');
  }
}
