import type { Store } from './api.ts';
import type { Db } from './db.ts';
import { history } from './feed.ts';

export const words =
  (db: Db): Store['tasks']['words'] =>
  async (taskId) => {
    const events = await history(db)({ machine: 'task', entityId: taskId });
    return events.flatMap(({ metadata: { say }, actor, at }) =>
      typeof say === 'string' ? [{ text: say, actor, at }] : [],
    );
  };
