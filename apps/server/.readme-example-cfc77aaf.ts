import { createBatonClient } from '@baton/server/client';

const { BATON_URL = 'http://127.0.0.1:7420', BATON_KEY = '' } = process.env;
const baton = createBatonClient({ url: BATON_URL, key: BATON_KEY });

const { run, tasks } = await baton.plans.submit.mutate({
  plan: {
    name: 'tidy',
    agents: { format: { command: ['npx', 'prettier', '--write', 'src'] } },
    stages: [{ name: 'clean', steps: [{ key: 'format', title: 'Format the sources', agent: 'format' }] }],
  },
  repo: { location: 'https://git.example.com/acme/app.git', host: null },
});
const [task] = tasks;
if (task === undefined) throw new Error('a plan has at least one step');
console.log(`${task.key} is ${task.status}`);
console.log(`${task.key} waits: ${(await baton.tasks.explain.query({ taskId: task.id })).cause}`);

// Every event after a position, without a gap; a client that comes back with its last id misses nothing.
const opened = Promise.withResolvers<void>();
const following = baton.events.feed.subscribe(
  { lastEventId: '0', runId: run.id },
  {
    onData: ({ data: { machine, from, to } }) => {
      if (to !== 'OPEN') return;
      console.log(`${machine} ${from} -> ${to}`);
      opened.resolve();
    },
  },
);
await baton.plans.approve.mutate({ run: run.slug, reason: 'looks right' });
await opened.promise;
following.unsubscribe();
console.log(`${task.key} is ${(await baton.tasks.get.query({ taskId: task.id })).status}`);
