import { createBatonClient } from '@baton/client';

const { BATON_URL = 'http://127.0.0.1:7420', BATON_KEY } = process.env;
if (BATON_KEY === undefined) {
  console.log('Set BATON_KEY to a key of `baton keys create me --scope operator`.');
} else {
  const baton = createBatonClient({ url: BATON_URL, key: BATON_KEY });

  const { run, tasks } = await baton.plans.submit.mutate({
    plan: {
      name: 'tidy',
      agents: { format: { command: ['npx', 'prettier', '--write', 'src'] } },
      stages: [{ name: 'clean', steps: [{ key: 'format', title: 'Format the sources', agent: 'format' }] }],
    },
    repo: { location: 'https://git.example.com/acme/app.git', host: null },
  });
  for (const { id, key, status } of tasks) {
    const { cause } = await baton.tasks.explain.query({ taskId: id });
    console.log(`${key} is ${status} and waits: ${cause}`);
  }

  // Every event after a position, without a gap; a client that comes back with its last id misses nothing.
  const opened = Promise.withResolvers<void>();
  const following = baton.events.feed.subscribe(
    { lastEventId: '0', runId: run.id },
    {
      onData: ({ data: { machine, from, to } }) => {
        if (machine !== 'task' || to !== 'OPEN') return;
        console.log(`${machine} ${from} -> ${to}`);
        opened.resolve();
      },
    },
  );
  await baton.plans.approve.mutate({ run: run.slug, reason: 'looks right' });
  await opened.promise;
  following.unsubscribe();
}
