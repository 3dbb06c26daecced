import { startFakeModelServer } from '@baton/testkit/model-server';

/** A scripted model and the agent around it, as a plan defines it. Scripts are chosen by the task's title. */
export async function scriptedMind(
  scripts: { name: string; when: string; turns: unknown[] }[],
  more: Record<string, unknown> = {},
) {
  const server = await startFakeModelServer({ script: { scripts } });
  return {
    agent: { in_process: 'local/scripted', base_url: `${server.url}/v1`, ...more },
    requests: server.requests,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
