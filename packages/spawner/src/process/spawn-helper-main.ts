import { runChild, type ChildOrder } from './child-run.ts';

/*
 * A small process of its own that starts programs for the Baton process that started it, and ends with it. What still runs then is ended by
 * the reaper, or runs to its own end if it has to.
 */

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

type Asked = 'alive?' | { id: number; order: ChildOrder } | { id: number; abort: true };

const parent = process.ppid;
const aborts = new Map<number, AbortController>();

process.on('message', (asked: Asked) => {
  if (asked === 'alive?') tell('alive');
  else if ('abort' in asked) aborts.get(asked.id)?.abort();
  // What comes after its sender died must not begin.
  else if (process.ppid === parent) void start(asked);
});
process.send?.('ready');

async function start({ id, order }: { id: number; order: ChildOrder }): Promise<void> {
  const over = new AbortController();
  aborts.set(id, over);
  const end = await runChild(order, { signal: over.signal, onStarted: ({ pid }) => tell({ id, pid }) });
  aborts.delete(id);
  tell({ id, end });
}

function tell(message: object | string): void {
  if (process.connected) process.send?.(message, () => undefined);
}
