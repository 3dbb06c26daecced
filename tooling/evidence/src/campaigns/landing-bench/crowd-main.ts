import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openAgent } from '@baton/spawner';
import { openMachine } from './machine.ts';

/*
 * A process that has as many agents at work as its first argument says, as a worker has them, and prints how much of a core it needs for
 * what they say: so many lines a second each, for so many seconds, in the folder of its last argument.
 */

const [, , agents = '1', linesASecond = '5', seconds = '1', folder = ''] = process.argv;

/** A small agent of the protocol: it answers what opens a session, then says what comes out of a pipe. */
const script = `
answer() { id=\${line#*'"id":'}; printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "\${id%%[,\\}]*}" "$1"; }
read -r line; answer '{"protocolVersion":1,"agentInfo":{"name":"crowd"}}'
read -r line; answer '{"sessionId":"s"}'
read -r line; cat "$1"; answer '{"stopReason":"end_turn"}'
read -r line
`;

const machine = await openMachine();
const { exec, env, clock } = machine;
const numbers = Array.from({ length: Number(agents) }, (_, at) => at);
const place = (at: number) => path.join(folder, String(at));
const pipes = numbers.map((at) => path.join(place(at), 'pipe'));
for (const at of numbers) mkdirSync(place(at), { recursive: true });
await exec(['mkfifo', ...pipes], { cwd: folder, env, timeoutMs: 60_000 });
writeFileSync(path.join(folder, 'agent.sh'), script);

let told = 0;
let ready = 0;
const allReady = Promise.withResolvers<void>();
const taskFile = { id: 't', key: 't', title: 't', goal: '', files: [], attempt: 1, rejections: [] };
const done = numbers.map(async (at) => {
  const runner = openAgent({
    ...{
      name: 'crowd',
      definition: { acp: ['sh', path.join(folder, 'agent.sh'), pipes[at] ?? ''] },
      env,
      clock,
    },
    workspace: { path: place(at), taskFileDir: place(at), portBase: 1 },
    marker: `landing-bench-${process.pid}-${at}`,
    logFile: path.join(place(at), 'session.log'),
    redact: (text) => text,
    stateDir: folder,
  });
  const finished = await runner.runTask(
    { prompt: 'work', taskFile, timeoutMs: 600_000 },
    {
      onEvent(event) {
        if (event.type === 'ready' && (ready += 1) === numbers.length) allReady.resolve();
        if (event.type === 'message') told += event.text.split('Piece ').length - 1;
      },
    },
  );
  await runner.close();
  return finished.outcome;
});
await Promise.race([allReady.promise, Promise.all(done)]);

const feeder = fork(path.join(import.meta.dirname, 'crowd-feeder-main.ts'), [
  linesASecond,
  seconds,
  ...pipes,
]);
await once(feeder, 'message');
const [startedMs, before] = [performance.now(), process.cpuUsage()];
await once(feeder, 'message');
const [lastedMs, used] = [performance.now() - startedMs, process.cpuUsage(before)];
const outcomes = await Promise.all(done);
machine[Symbol.dispose]();
const cpuMs = (used.user + used.system) / 1_000;
process.stdout.write(
  JSON.stringify({ cpuMs, lastedMs, told, done: outcomes.filter((outcome) => outcome === 'done').length }),
);
process.exit(0);
