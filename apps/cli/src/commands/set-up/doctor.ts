import { setTimeout as delay } from 'node:timers/promises';

import { BatonError } from '@baton/contracts';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { checkAgentsHere } from '../../doctor/agents.ts';
import {
  checkDisk,
  checkGit,
  checkNode,
  checkPlatform,
  checkPostgres,
  checkRepository,
  checkRights,
  checkRoom,
  checkState,
  type Check,
  type Finding,
} from '../../doctor/checks.ts';
import type { Colors } from '../../terminal/colors.ts';
import { checkProcesses } from '../../doctor/processes.ts';
import { checkRecord } from '../../doctor/record.ts';
import { checkSetUp } from '../../doctor/set-up.ts';
import { wrapTo } from '../../terminal/format.ts';
import { checkTemporary } from '../../doctor/temporary.ts';
import { checkVerification } from '../../doctor/verification.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import type { RepoOption } from '../../project/with-store.ts';
import { widthOfTerminal } from '../../terminal/output.ts';

/** A check that has not answered by then is a finding itself. */
const mostMs = 60_000;

const checks: readonly [name: string, check: Check][] = [
  ['node', checkNode],
  ['system', checkPlatform],
  ['git', checkGit],
  ['repository', checkRepository],
  ['set-up', checkSetUp],
  ['state', checkState],
  ['disk', checkDisk],
  ['temporary', checkTemporary],
  ['room', checkRoom],
  ['postgres', checkPostgres],
  ['record', checkRecord],
  ['agents', checkAgentsHere],
  ['processes', checkProcesses],
  ['rights', checkRights],
  ['verification', checkVerification],
];

/** `baton doctor`: what this machine has and lacks. */
export const addDoctor: AddCommands = (program, define) => {
  const command = program
    .command('doctor')
    .description('say what this machine has and lacks; exit 1 when there is a problem to fix')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--probe', 'also ask each agent one short question, which costs what a short question costs')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton doctor\n  $ baton doctor --probe        whether agents are logged in and answer\n  $ baton doctor --json',
    );
  define(command, async (call, options: RepoOption & { probe?: boolean }) => {
    const findings = (
      await Promise.all(checks.map(([name, check]) => look(call, options, { name, check })))
    ).flat();
    const hasFailed = findings.some((finding) => finding.status === 'fail');
    call.out.result({ ok: !hasFailed, checks: findings }, (colors) =>
      findings
        .map((finding) => findingLine(finding, { colors, width: widthOfTerminal(call.streams.stdout) }))
        .join('\n'),
    );
    return hasFailed ? exitCodes.unfinished : exitCodes.ok;
  });
};

/** Every check answers: one that breaks is a finding, not the end of the others. */
async function look(
  call: Call,
  options: RepoOption & { probe?: boolean },
  { name, check }: { name: string; check: Check },
): Promise<Finding | Finding[]> {
  try {
    // Questions to agents have a limit of their own.
    if (options.probe) return await check(call, options);
    const patience = new AbortController();
    const late = delay(mostMs, 'late' as const, { signal: patience.signal }).catch(() => 'late' as const);
    const found = await Promise.race([check(call, options), late]).finally(() => patience.abort());
    return found === 'late' ? unanswered(name) : found;
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return {
      name,
      status: 'fail',
      text: `${error.code}: ${error.message}`,
      ...(error.fix === undefined ? {} : { fix: error.fix }),
    };
  }
}

const unanswered = (name: string): Finding => ({
  name,
  status: 'fail',
  text: `no answer within ${mostMs / 1000} s`,
  fix: 'A file system or a server does not answer: look at the places that the other lines name.',
});

/** Before what was found: the word and the name of the check. */
const indent = 18;

/** One line, and a second with the fix; longer ones wrap to below where they began. */
export function findingLine(
  finding: Finding,
  { colors, width }: { colors: Colors; width: number | undefined },
): string {
  const { name, status, text, fix } = finding;
  const word = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('fail') }[status];
  const lines = (told: string) =>
    told
      .split('\n')
      .map((line) => wrapTo(line, { width, indent }))
      .join(`\n${' '.repeat(indent)}`);
  const first = `${word} ${name.padEnd(indent - 6)} ${lines(text)}`;
  if (fix === undefined || status === 'ok') return first;
  return `${first}\n${' '.repeat(indent)}${colors.dim(lines(`fix: ${fix}`))}`;
}
