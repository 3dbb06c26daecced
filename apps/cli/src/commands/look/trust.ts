import type { TrustStanding } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import { oneLine, table } from '../../terminal/format.ts';
import { withStore, type RepoOption } from '../../project/with-store.ts';

/** `baton trust`: what agents have shown so far, and what that lets them do without a person. */
export const addTrust: AddCommands = (program, define) => {
  const command = program
    .command('trust')
    .description('show what agents have shown here, and how far they are trusted')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--all', 'of all repositories of this store')
    .addHelpText(
      'after',
      '\nUnder `trust: enforce` of a plan an agent lands alone from TRUSTED (ELEVATED for high risk), and splits or retries\nits task alone from PROBATIONARY.\n\nExamples:\n  $ baton trust\n  $ baton trust --all --json',
    );
  define(command, async (call, options: RepoOption & { all?: boolean }) => {
    const agents = await withStore(call, { ...options, whenEmpty: () => [] }, async ({ store, project }) => {
      const all = await store.trust.list({});
      if (options.all || project === null) return all;
      const ids = [...new Set(all.map(({ repoId }) => repoId))];
      const repos = await Promise.all(ids.map((id) => store.runs.repo(id)));
      const here = new Set(repos.filter((repo) => repo?.location === project.root).map((repo) => repo?.id));
      return all.filter(({ repoId }) => here.has(repoId));
    });
    call.out.result({ agents }, (colors) =>
      agents.length === 0
        ? 'No agent has a record here yet.'
        : table(
            colors,
            ['agent', 'model', 'role', 'landed', 'rejected', 'violations', 'own plans', 'from outside'],
            agents.map(cells),
          ),
    );
  });
};

function cells(standing: TrustStanding): string[] {
  const { agent, adapter, model, role, landed, rejected, violations, lastViolation } = standing;
  return [
    agent === null || agent === adapter ? adapter : `${agent} (${adapter})`,
    model ?? '–',
    role,
    String(landed),
    String(rejected),
    lastViolation === null ? String(violations) : `${violations} (${oneLine(lastViolation, 50)})`,
    standing.ownPlan,
    standing.others,
  ];
}
