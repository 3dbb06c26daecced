import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Answer, Ask } from './contestant-main.ts';
import type { Contestant } from './subjects.ts';

/** How much is measured. */
export interface RoundsOptions {
  rounds: number;
  /** CPU time of one measurement. */
  cpuMs: number;
  /** CPU time given to each contestant before the first round. */
  warmUpMs: number;
  seed: number;
}

/** What came out for one contestant. */
export interface Measured extends Contestant {
  /** CPU nanoseconds a step, one for each round. */
  ns: readonly number[];
  /** Heap of one entity at rest. */
  bytes: number | null;
}

/** Measures all contestants in turn, round after round, each in a process of its own. */
export async function measure(all: readonly Contestant[], options: RoundsOptions): Promise<Measured[]> {
  const { rounds, cpuMs, warmUpMs, seed } = options;
  const running = all.map((contestant) => ({
    contestant,
    child: start(contestant, seed),
    ns: [] as number[],
  }));
  try {
    for (const { child } of running) await ask(child, { kind: 'measure', cpuMs: warmUpMs });
    for (let round = 0; round < rounds; round += 1) {
      for (const { child, ns } of running) {
        const answer = await ask(child, { kind: 'measure', cpuMs });
        if (answer.kind === 'measured') ns.push(answer.ns);
      }
    }
    const measured: Measured[] = [];
    for (const { contestant, child, ns } of running) {
      const answer = await ask(child, { kind: 'weigh' });
      measured.push({ ...contestant, ns, bytes: answer.kind === 'weighed' ? answer.bytes : null });
    }
    return measured;
  } finally {
    for (const { child } of running) child.kill();
  }
}

function start({ subject, prelude }: Contestant, seed: number): ChildProcess {
  return fork(path.join(import.meta.dirname, 'contestant-main.ts'), [subject, prelude, String(seed)], {
    // A process that waits for its turn gives back most of the young generation; at work it would not.
    execArgv: ['--conditions=@baton/source', '--expose-gc', '--min-semi-space-size=16'],
    // The peers' development helpers stay out.
    env: { ...process.env, NODE_ENV: 'production' },
  });
}

async function ask(child: ChildProcess, message: Ask): Promise<Answer> {
  const ended = new AbortController();
  const died = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`a contestant (${child.spawnargs.slice(-3).join(' ')}) ended with ${String(code)}`);
  });
  try {
    const answered = once(child, 'message', { signal: ended.signal });
    child.send(message);
    const [answer] = (await Promise.race([answered, died])) as [Answer];
    return answer;
  } finally {
    ended.abort();
    died.catch(() => undefined);
  }
}
