import type { Store } from '../api/store.ts';
import type { Db } from '../db/query.ts';
import { history } from '../feed/feed.ts';

export const words =
  (db: Db): Store['tasks']['words'] =>
  async (taskId) => {
    const events = await history(db)({ machine: 'task', entityId: taskId });
    return events.flatMap(({ metadata: { say }, actor, at }) =>
      typeof say === 'string' ? [{ text: say, actor, at }] : [],
    );
  };
