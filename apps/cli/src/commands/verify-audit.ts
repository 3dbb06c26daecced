import path from 'node:path';

import type { AddCommands } from '../cli.ts';
import { count } from '../format.ts';
import { archiveDirIfAny } from '../record/archive-dir.ts';
import { readHeads, writeHeads } from '../record/heads-file.ts';
import { exitCodes } from '../render-error.ts';
import { withStore, type RepoOption } from '../with-store.ts';

interface AuditOptions extends RepoOption {
  heads?: string;
  writeHeads?: string;
  archive?: string;
}

/** `baton verify-audit`: recomputes the hash chains of the record. */
export const addVerifyAudit: AddCommands = (program, define) => {
  const command = program
    .command('verify-audit')
    .description('check that the record of all moves is complete and unchanged; exit 1 when it is not')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--heads <file>', 'also find what was cut off since these heads were written')
    .option('--write-heads <file>', 'write the end of every history to a file, when all of it holds')
    .option('--archive <dir>', "folder of archived events; default: the project's own, if there is one")
    .addHelpText(
      'after',
      '\nA chain shows what was changed in it, not what was cut off its end: keep heads where the owner of the database cannot\nwrite, and compare with them.\n\nExamples:\n  $ baton verify-audit --write-heads /safe/heads.jsonl\n  $ baton verify-audit --heads /safe/heads.jsonl --json',
    );
  define(command, async (call, options: AuditOptions) => {
    const { heads, headsWritten, archiveDir, ...audit } = await withStore(call, options, async (stored) => {
      const { store, project } = stored;
      const dir = await archiveDirIfAny(call, { given: options.archive, project });
      const known =
        options.heads === undefined
          ? undefined
          : await readHeads(store, path.resolve(call.cwd, options.heads));
      const found = await store.verifyAudit({
        ...(known && { heads: known }),
        ...(dir !== undefined && { archiveDir: dir }),
      });
      const written =
        options.writeHeads === undefined || found.broken.length > 0
          ? null
          : await writeHeads(store, path.resolve(call.cwd, options.writeHeads));
      return { ...found, heads: known?.length ?? null, headsWritten: written, archiveDir: dir ?? null };
    });
    call.out.result({ ...audit, heads, headsWritten, archiveDir }, (colors) =>
      audit.broken.length === 0
        ? [
            `${colors.green('✔')} ${count(audit.events, 'event')} of ${audit.entities} entities: every chain holds.`,
            ...archivedLine(audit, archiveDir),
            ...(heads === null
              ? []
              : [`${count(audit.headsChecked, 'head')} of ${heads} found where they were.`]),
            ...(headsWritten === null
              ? []
              : [`${count(headsWritten, 'head')} written to ${options.writeHeads}.`]),
          ].join('\n')
        : [
            `${colors.red('✘')} ${count(audit.broken.length, 'break')} among ${count(audit.events, 'event')}:`,
            ...audit.broken.map((item) => `  ${item.machine} ${item.entityId} at ${item.seq}: ${item.what}`),
          ].join('\n'),
    );
    return audit.broken.length === 0 ? exitCodes.ok : exitCodes.unfinished;
  });
};

function archivedLine(
  { archived, archiveChecked }: { archived: number; archiveChecked: number },
  dir: string | null,
): string[] {
  if (archived === 0) return [];
  return dir === null
    ? [`${count(archived, 'event')} were archived and not looked at: name their folder with --archive DIR.`]
    : [`${archiveChecked} of ${count(archived, 'archived event')} chained in ${dir}.`];
}
