import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { openHolder, type Holder } from './holder.ts';
import type { HolderOrder, HolderWord } from './holder-order.ts';
import type { Blow } from './history.ts';
import { createStepper, type Stepper, type Struck } from './steps.ts';

/** Those who land on the lanes of one database. */
export interface Team {
  /** Brings all to life, and lets these blows fall on the first two from now on; gives what falls. */
  arm(blows: readonly Blow[]): Promise<Struck[]>;
  /** Waits until none is stopped any more and what was late has happened; no blow falls from now on. */
  settle(): Promise<void>;
  /** Others in their place, as after a restart. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Long enough that a holder that was continued has done what it was about to do. */
const lateMs = 300;
const quick = { leaseMs: 2_000 };

/** Two workers in this process. A stall holds up all calls of the store of one. */
export async function openTeamHere({ url, folder }: { url: string; folder: string }): Promise<Team> {
  let members: Member[] = [];
  let struck: Struck[] = [];
  let count = 0;
  const openAll = async (): Promise<void> => {
    count += 1;
    const names = ['one', 'two'].map((name) => `${name}-${count}`);
    const order = (name: string): HolderOrder => ({ url, name, stateDir: path.join(folder, name), ...quick });
    members = await Promise.all(names.map((name) => openMember(order(name), (fell) => struck.push(fell))));
  };
  const closeAll = () => Promise.all(members.map(({ holder }) => holder.close()));
  await openAll();
  return {
    arm(blows) {
      struck = [];
      members.forEach(({ stepper }, at) => stepper.arm(blows[at % Math.max(1, blows.length)] ?? null));
      return Promise.resolve(struck);
    },
    async settle() {
      for (const { stepper } of members) stepper.arm(null);
      const held = members.map((member) => member.held()).filter((each) => each !== null);
      await Promise.all(held);
      if (struck.length > 0) await delay(lateMs);
    },
    async renew() {
      await closeAll();
      await openAll();
    },
    async close() {
      await closeAll();
    },
  };
}

interface Member {
  holder: Holder;
  stepper: Stepper;
  held: () => Promise<void> | null;
}

async function openMember(order: HolderOrder, fell: (struck: Struck) => void): Promise<Member> {
  let stall: Promise<void> | null = null;
  const stepper = createStepper(async ({ how, moment, forMs }, step) => {
    fell({ step, moment, how });
    stall = delay(forMs).then(() => {
      stall = null;
    });
    await stall;
  });
  const held = () => stall;
  return { holder: await openHolder(order, { stepper, held }), stepper, held };
}

const line = z.object({
  step: z.string(),
  moment: z.enum(['before', 'middle', 'after']),
  how: z.enum(['stall', 'kill', 'stop', 'freeze']),
  also: z.array(z.number()),
});
const program = fileURLToPath(new URL('./holder-main.ts', import.meta.url));

interface Process {
  child: ChildProcess;
  ended: boolean;
  /** Resolves when it is at work; rejects when it ends before. */
  ready: Promise<void>;
}

/** Three workers in processes of their own. Blows fall on the first two; the third is well. */
export async function openTeamOfProcesses({ url, folder }: { url: string; folder: string }): Promise<Team> {
  const members: Process[] = [];
  let struck: Struck[] = [];
  let stopped: Promise<unknown>[] = [];
  let forMs: readonly number[] = [];
  let count = 0;
  const startAt = (at: number): void => {
    count += 1;
    const name = `worker-${count}`;
    members[at] = startProcess({ url, name, stateDir: path.join(folder, name), ...quick }, (told) => {
      struck.push(told);
      if (told.how === 'kill') return;
      const lasts = forMs[at % Math.max(1, forMs.length)] ?? 0;
      const pids = [members[at]?.child.pid ?? 0, ...told.also];
      stopped.push(delay(lasts).then(() => pids.forEach(continueProcess)));
    });
  };
  const haveAll = async (): Promise<void> => {
    for (const at of [0, 1, 2]) if (members[at]?.ended !== false) startAt(at);
    await Promise.all(members.map(({ ready }) => ready));
  };
  const closeAll = () => Promise.all(members.map(closeProcess));
  // Whoever is stopped hears of no end.
  const killAll = () => members.forEach(({ child }) => child.kill('SIGKILL'));
  process.once('exit', killAll);
  await haveAll();
  return {
    async arm(blows) {
      await haveAll();
      struck = [];
      forMs = [0, 1].map((at) => blows[at % Math.max(1, blows.length)]?.forMs ?? 0);
      for (const at of [0, 1])
        await tell(members[at], { arm: blows[at % Math.max(1, blows.length)] ?? null });
      return struck;
    },
    async settle() {
      const wasStopped = stopped.length > 0;
      await Promise.all(stopped);
      stopped = [];
      for (const member of members) await tell(member, { arm: null });
      if (wasStopped) await delay(lateMs);
      for (const at of [0, 1]) if (members[at]?.ended) startAt(at);
    },
    async renew() {
      await Promise.all(stopped);
      await closeAll();
      await haveAll();
    },
    async close() {
      await Promise.all(stopped);
      await closeAll();
      process.removeListener('exit', killAll);
    },
  };
}

function startProcess(order: HolderOrder, fell: (struck: z.output<typeof line>) => void): Process {
  const child = fork(program, [JSON.stringify(order)], {
    execArgv: ['--conditions=@baton/source', '--no-warnings'],
    stdio: ['ignore', 'pipe', process.env.HISTORIES_LOG === undefined ? 'ignore' : 'inherit', 'ipc'],
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new Error('a holder ended before it was ready')));
  });
  ready.catch(() => undefined);
  const started: Process = { child, ended: false, ready };
  child.once('exit', () => (started.ended = true));
  let rest = '';
  child.stdout?.on('data', (data: Buffer) => {
    const lines = `${rest}${data.toString()}`.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) fell(line.parse(JSON.parse(text)));
  });
  return started;
}

/** Tells a holder, and waits until it has heard; one that has ended hears nothing. */
async function tell(member: Process | undefined, word: HolderWord): Promise<void> {
  if (member === undefined || member.ended || !member.child.connected) return;
  const { child } = member;
  await new Promise<void>((resolve) => {
    child.once('message', () => resolve());
    child.once('exit', () => resolve());
    child.send(word, (error) => {
      if (error !== null) resolve();
    });
  });
}

async function closeProcess(member: Process): Promise<void> {
  if (member.ended) return;
  const ended = new Promise((resolve) => member.child.once('exit', resolve));
  if (member.child.connected) member.child.disconnect();
  const late = setTimeout(() => member.child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(late);
}

function continueProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended.
  }
}
