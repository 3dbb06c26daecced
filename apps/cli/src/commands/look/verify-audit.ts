import path from 'node:path';

import type { AuditHead, Store } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { count } from '../../terminal/format.ts';
import { archiveDirIfAny } from '../../record/archive-dir.ts';
import { headText, parseHead, readHeads, writeHead } from '../../record/heads-file.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { systemClock } from '@baton/service/system';
import { withStore, type RepoOption } from '../../project/with-store.ts';

interface AuditOptions extends RepoOption {
  head?: string;
  heads?: string;
  writeHeads?: string;
  archive?: string;
}

/** `baton verify-audit`: checks log, history and rows against one another. */
export const addVerifyAudit: AddCommands = (program, define) => {
  const command = program
    .command('verify-audit')
    .description('check that the record of all moves is complete and unchanged; exit 1 when it is not')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--head <position:hash>', 'a head that was printed before: find what was changed before it')
    .option('--heads <file>', 'the same for all heads of a file')
    .option('--write-heads <file>', 'add the head to a file, when all of the record holds')
    .option('--archive <dir>', "folder of archived events; default: the project's own, if there is one")
    .addHelpText(
      'after',
      '\nThe head is one line that proves every event before it, their order, and that none is gone. The owner of the\ndatabase can write a new log, but not one with the head that you kept elsewhere. A head stays valid for good.\n\nExamples:\n  $ baton verify-audit\n  $ baton verify-audit --write-heads /safe/heads.jsonl\n  $ baton verify-audit --heads /safe/heads.jsonl --json',
    );
  define(command, async (call, options: AuditOptions) => {
    const audit = await withStore(call, options, async ({ store, project }) => {
      const archiveDir = await archiveDirIfAny(call, { given: options.archive, project });
      const heads = await knownHeads(call, { store, options });
      const found = await store.audit.verify({ heads, ...(archiveDir !== undefined && { archiveDir }) });
      const file = options.writeHeads;
      const { head } = found;
      const isWritten = file !== undefined && head !== null && found.broken.length === 0;
      if (isWritten)
        await writeHead(head, { file: path.resolve(call.cwd, file), store, now: systemClock.now() });
      return { ...found, headWritten: isWritten ? file : null, archiveDir: archiveDir ?? null };
    });
    call.out.result({ ...audit, head: audit.head && headText(audit.head) }, (colors) =>
      audit.broken.length === 0
        ? [
            `${colors.green('✔')} ${count(audit.events, 'event')} of ${audit.entities} entities: the log holds.`,
            ...archivedLine(audit, audit.archiveDir),
            ...(audit.headsChecked === 0 ? [] : [`${count(audit.headsChecked, 'head')} found in the log.`]),
            ...(audit.unlogged.events === 0
              ? []
              : [`${count(audit.unlogged.events, 'event')} too young for the log.`]),
            ...(audit.head === null ? [] : [`head ${headText(audit.head)}`]),
            ...(audit.headWritten === null ? [] : [`Added to ${audit.headWritten}.`]),
          ].join('\n')
        : [
            `${colors.red('✘')} ${count(audit.broken.length, 'break')} among ${count(audit.events, 'event')}:`,
            ...audit.broken.map((item) => `  ${item.machine} ${item.entityId} at ${item.seq}: ${item.what}`),
          ].join('\n'),
    );
    return audit.broken.length === 0 ? exitCodes.ok : exitCodes.unfinished;
  });
};

async function knownHeads(
  call: Call,
  { store, options }: { store: Store; options: AuditOptions },
): Promise<AuditHead[]> {
  const given = options.head === undefined ? [] : [parseHead(options.head)];
  if (options.heads === undefined) return given;
  return [...given, ...(await readHeads(store, path.resolve(call.cwd, options.heads)))];
}

function archivedLine(
  { archived, archiveChecked }: { archived: number; archiveChecked: number },
  dir: string | null,
): string[] {
  if (archived === 0) return [];
  return dir === null
    ? [`${count(archived, 'event')} were archived and not looked at: name their folder with --archive DIR.`]
    : [`${archiveChecked} of ${count(archived, 'archived event')} found in ${dir}.`];
}
