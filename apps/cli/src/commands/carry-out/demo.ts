import { shellText } from '@baton/contracts';
import { requireGit } from '@baton/spawner';
import { systemClock } from '@baton/service/system';

import type { AddCommands } from '../../terminal/call.ts';
import { noteLeft } from '../../demo/left-as-is.ts';
import { makeDemoRepository } from '../../demo/make-repository.ts';
import { proveTests } from '../../demo/prove-tests.ts';
import { count } from '../../terminal/format.ts';
import { createTools } from '../../project/project.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { runPlan } from '../../run/run-plan.ts';

/** Agents at work at once in the demonstration. */
const capacity = 4;

/** `baton demo`: what `npm start` runs. */
export const addDemo: AddCommands = (program, define) => {
  const command = program
    .command('demo')
    .description(
      'show it all on a real package: eleven tasks, a conflict, a rejection, and its own tests at the end',
    )
    .addHelpText(
      'after',
      `
Makes a git repository from the published source of the npm package qs and carries out a plan that modernises it with
real tools: formatter, linter, codemod, type declarations, size report, tests, changelog. Nothing leaves this machine.
Of earlier demonstrations two stay, and each that somebody changed since.

Examples:
  $ baton demo
  $ baton demo --json > result.json`,
    );
  define(command, async (call) => {
    const tools = createTools(call);
    await requireGit(tools.git);
    const stamp = systemClock.now().toISOString().replace(/\D/g, '').slice(0, 14);
    const demo = await makeDemoRepository({
      home: call.env.home,
      git: tools.git,
      stamp: `${stamp}-${process.pid}`,
    });
    const { note, noteColors } = call.out;
    note(`${noteColors.bold('Baton')} modernises ${demo.origin}, as published on npm, in ${demo.root}`);
    note(noteColors.dim(`plan: ${demo.planFile}`));
    if (demo.changed.length > 0)
      note(
        noteColors.dim(
          `${count(demo.changed.length, 'earlier demonstration')} did not end or were changed since, and stay: ${demo.changed.join(', ')}`,
        ),
      );
    const there = { ...call, out: call.out.forRepo(demo.root) };
    const exitCode = await runPlan(there, demo.planFile, { repo: demo.root, capacity, yes: true });
    await noteLeft(tools.git, demo);
    if (exitCode !== exitCodes.ok) return exitCode;
    const proof = await proveTests(tools, { root: demo.root, node: process.execPath });
    if (proof.failed > 0) {
      note(noteColors.red(`The package's own tests fail on ${proof.branch}.`));
      return exitCodes.unfinished;
    }
    note(
      noteColors.green(
        `The package's own tests pass on ${proof.branch}: ${proof.passed} of ${proof.passed}.`,
      ),
    );
    note(
      noteColors.dim(`Look around: ${shellText(['git', '-C', demo.root, 'log', '--oneline', proof.branch])}`),
    );
    return exitCodes.ok;
  });
};
