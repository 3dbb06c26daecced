import { count } from '../terminal/format.ts';
import { openProject } from '../project/project.ts';
import { archiveDirIfAny } from '../record/archive-dir.ts';
import { hasStore, openProjectStore } from '../project/open-store.ts';
import type { Check } from './checks.ts';

/** Whether the record of this project holds, as `baton verify-audit` looks at it; nothing where there is none. */
export const checkRecord: Check = async (call, options) => {
  const project = await openProject(call, options).catch(() => null);
  if (project === null && call.env.databaseUrl === undefined) return [];
  if (!(await hasStore(call, project))) return [];
  await using access = await openProjectStore(call, project);
  const archiveDir = await archiveDirIfAny(call, { given: undefined, project });
  const found = await access.store.audit.verify(archiveDir === undefined ? {} : { archiveDir });
  const events = count(found.events, 'event');
  if (found.broken.length === 0) return { name: 'record', status: 'ok', text: `${events}: the log holds` };
  return {
    name: 'record',
    status: 'fail',
    text: `${count(found.broken.length, 'break')} among ${events}: the record was changed from outside`,
    fix: 'See each with `baton verify-audit`, and restore the database from a backup (`baton import`).',
  };
};
