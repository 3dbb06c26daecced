import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

import {
  BatonError,
  commandText,
  type CheckResult,
  type Exec,
  type Gate,
  type WorkspaceSetup,
} from '@baton/contracts';
import { endOf, proveBase, type BaseProof } from '@baton/worker';

import type { Call } from '../terminal/call.ts';
import type { Colors } from '../terminal/colors.ts';
import { count, formatMs } from '../terminal/format.ts';
import type { Project } from '../project/project.ts';
import { makeStateFolder } from '@baton/service/state-folder';
import { systemClock } from '@baton/service/system';
import { testsText } from '../terminal/tests-text.ts';
import { setUpText } from './detect.ts';
import { handleInterrupts } from './interrupt.ts';

/** What came of it: green or not, each gate, and what to do. */
export interface Proof extends BaseProof {
  commit: string;
  /** Why the set-up could not be made; null: it was. */
  setUpFailed: string | null;
}

/** A set-up is made for gates only: where there are none, this is the gate. */
const probe: Gate = { name: 'set-up-only', command: ['true'], required: true, timeout: 60_000 };

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Proves gates in a real worktree of the last commit, just as a run does before its first agent, and shows how it goes.
 *
 * @throws STATE_UNWRITABLE, INTERRUPTED, REPO_INCOMPLETE, WORKSPACE_FAILED, GIT_FAILED
 */
export async function prove(
  call: Call,
  {
    project,
    gates,
    workspace,
  }: { project: Project; gates: readonly Gate[]; workspace: WorkspaceSetup | null },
): Promise<Proof> {
  const commit = project.headCommit;
  await makeStateFolder(call.env.home);
  const stateDir = mkdtempSync(path.join(call.env.home, 'prove-'));
  const remove = (): void => rmSync(stateDir, { recursive: true, force: true, maxRetries: 3 });
  const stopping = new AbortController();
  const forget = handleInterrupts({
    onFirst: () => {
      call.out.note('Stopping. Press Ctrl-C again to end at once.');
      stopping.abort();
    },
    onSecond: () => {
      remove();
      process.exit(130);
    },
  });
  const show = shownSteps(call, { gates, workspace });
  call.out.note(
    `Proving ${gates.length === 0 ? 'the set-up' : count(gates.length, 'gate')} in a worktree of ${commit.slice(0, 9)}, as a run begins:`,
  );
  show.begin();
  try {
    const proof = await proveBase({
      ...{
        exec: untilStopped(project.exec, stopping.signal),
        git: project.git,
        clock: systemClock,
        log: quiet,
      },
      ...{ operatorEnv: call.env.all, isolation: call.env.isolation },
      ...{ stateDir, root: project.root, commit, workspace },
      gates: gates.length === 0 ? [probe] : gates,
      signal: stopping.signal,
      onCheck: show.done,
    });
    const results = proof.results.filter(({ name }) => name !== probe.name);
    return { ...proof, results, commit, setUpFailed: null };
  } catch (error) {
    if (stopping.signal.aborted)
      throw new BatonError('INTERRUPTED', 'The proof was stopped; the files stay.', {
        fix: '`baton init` proves it again.',
        cause: error,
      });
    if (!BatonError.is(error, 'SETUP_FAILED')) throw error;
    show.failed();
    const nothing = { passed: false, results: [], lacks: [], remedy: error.fix ?? null };
    return { ...nothing, commit, setUpFailed: error.message };
  } finally {
    forget();
    remove();
  }
}

/** Every program ends when the proof is stopped, a set-up as well as a gate. */
function untilStopped(exec: Exec, signal: AbortSignal): Exec {
  return (argv, options) =>
    exec(argv, {
      ...options,
      signal: AbortSignal.any([signal, ...(options.signal ? [options.signal] : [])]),
    });
}

/** One line when a step begins, one when it ends. */
function shownSteps(
  { out }: Call,
  { gates, workspace }: { gates: readonly Gate[]; workspace: WorkspaceSetup | null },
): { begin(): void; done(result: CheckResult): void; failed(): void } {
  const colors = out.noteColors;
  const steps = [
    `set-up: ${setUpText(workspace)}`,
    ...gates.map(({ name, command }) => `${name}: ${commandText(command)}`),
  ];
  let at = 0;
  let beganMs = systemClock.monotonicMs();
  const begin = (): void => {
    beganMs = systemClock.monotonicMs();
    const step = steps[at];
    if (step !== undefined) out.note(colors.dim(`  … ${step}`));
  };
  return {
    begin,
    done(result) {
      if (at >= steps.length) return;
      const name = at === 0 ? 'set-up' : result.name;
      const ms = systemClock.monotonicMs() - beganMs;
      out.note(`  ${markOf(result, colors)} ${name}  ${colors.dim(`${formatMs(ms)}${testsText(result)}`)}`);
      at += 1;
      begin();
    },
    failed: () => out.note(`  ${colors.red('✘')} set-up`),
  };
}

function markOf({ passed, required }: CheckResult, colors: Colors): string {
  if (passed) return colors.green('✔');
  return required ? colors.red('✘') : colors.yellow('!');
}

/** What a proof says, for a person. */
export function proofText(proof: Proof, colors: Colors): string[] {
  const red = proof.results.filter(({ passed }) => !passed);
  const hasGates = proof.results.some(({ kind }) => kind === 'gate');
  const empty = proof.results.filter(({ passed, tests }) => passed && tests?.passed === 0);
  const told = empty.map(
    ({ name }) =>
      `${colors.yellow('!')} ${name} is green and ran no test, so it proves nothing about the work of agents.`,
  );
  if (proof.passed && red.length === 0)
    return [
      `${colors.green('✔')} ${hasGates ? 'the gates are green' : 'the set-up works'} on ${proof.commit.slice(0, 9)}.`,
      ...told,
    ];
  const names = red.filter(({ kind, required }) => kind === 'gate' && required).map(({ name }) => name);
  return [
    ...(proof.setUpFailed === null ? [] : [`${colors.red('✘')} ${proof.setUpFailed}`]),
    ...red.flatMap((result) => [
      `${markOf(result, colors)} ${result.name}: ${result.reason}`,
      ...endOf(result),
    ]),
    ...told,
    ...proof.lacks,
    ...(proof.passed ? [] : ['What to do:', `  ${firstWay(proof)}`, '  `baton init` proves it again.']),
    ...(names.length === 0
      ? []
      : [`  Or take it as it is: \`baton run plan.yaml --allow-red ${names.join(' ')}\`.`]),
  ];
}

function firstWay({ remedy }: Proof): string {
  const way = (remedy ?? 'make it pass, and commit that').replace(/\.$/, '');
  return `${way.slice(0, 1).toUpperCase()}${way.slice(1)}.`;
}
