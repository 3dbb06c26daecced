import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Answers, Stage } from './stage.ts';
import type { Write } from './writes.ts';

/** Who leaves something: each lets it happen and gives the answers on a commit judged after or beside it. */
export type Actor = (stage: Stage, options: { write: Write; judged: string }) => Promise<Answers>;

const timeoutMs = 20_000;

/** The gate of a task that is rejected. */
const rejectedGate: Actor = async (stage, { write, judged }) => {
  await gateOf(stage, `${write.line}; exit 1`);
  return stage.judge(judged);
};

/** The gate of an earlier run: another process on the same folder. */
const earlierRun: Actor = async (stage, { write, judged }) => {
  const other = stage.reopen();
  await other.recover();
  await other.use({ head: stage.good, onto: stage.base }, (place) =>
    place.run(['sh', '-c', write.line], { env: stage.env, timeoutMs }),
  );
  return stage.judge(judged);
};

/** The gate that runs before the others in the same verification. */
const earlierGate: Actor = (stage, { write, judged }) => stage.judge(judged, { first: write.line });

/** A process that a gate leaves behind in a session of its own, and that writes again and again. */
const leftByGate: Actor = async (stage, { write, judged }) => {
  const loop = `for i in 1 2 3 4 5 6; do sleep 0.05; ${write.line}; done >/dev/null 2>&1 </dev/null`;
  await gateOf(stage, `setsid sh -c '${loop.replaceAll("'", `'\\''`)}' & exit 1`);
  return stage.judge(judged);
};

/** An agent that looks for trees and set-ups in the state folder between two verifications. */
const agentBetween: Actor = async (stage, { write, judged }) => {
  await stage.judge(stage.good);
  await writeOutside(stage, write);
  return stage.judge(judged);
};

/** The same while a verification is under way. */
const agentBeside: Actor = (stage, { write, judged }) =>
  stage.judge(judged, { meanwhile: () => writeOutside(stage, write) });

/** A task whose commit holds it, also by force, and is judged before. */
const commit: Actor = async (stage, { write, judged }) => {
  const left = await stage.commitOf(`${write.line}; git add -Af . 2>/dev/null`);
  await stage.judge(left);
  return stage.judge(judged);
};

/** All of them, by name. */
export const actors = {
  'rejected gate': rejectedGate,
  'earlier run': earlierRun,
  'earlier gate': earlierGate,
  'left by a gate': leftByGate,
  'agent between': agentBetween,
  'agent beside': agentBeside,
  'commit by force': commit,
} satisfies Record<string, Actor>;
export type ActorName = keyof typeof actors;

async function gateOf(stage: Stage, line: string): Promise<void> {
  await stage.pool.use({ head: stage.bad, onto: stage.base }, (place) =>
    place.run(['sh', '-c', line], { env: stage.env, timeoutMs }),
  );
}

/** Wherever a tree or a set-up lies that a later judgement could use. Trees that are thrown away after one command are left out. */
async function writeOutside(stage: Stage, { line }: Write): Promise<void> {
  for (const folder of rootsOf(stage.poolDir)) {
    const child = spawn('sh', ['-c', line], { cwd: folder, env: stage.env, stdio: 'ignore' });
    await new Promise((resolve) => child.once('close', resolve));
  }
}

function rootsOf(poolDir: string): string[] {
  const slots = below(path.join(poolDir, 'slots'));
  const setups = [path.join(poolDir, 'setups'), ...slots.map((slot) => path.join(slot, 'setups'))];
  const roots = [
    ...slots.map((slot) => path.join(slot, 'lower')),
    ...setups.flatMap(below).map((setup) => path.join(setup, 'files')),
  ];
  return roots.filter((folder) => existsSync(folder));
}

function below(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}
