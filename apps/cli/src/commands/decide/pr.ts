import { requestsInto } from '@baton/contracts';

import { lookAtRequests, type RequestsView } from '../../pull-request/look-at-requests.ts';
import { requestsText } from '../../pull-request/requests-text.ts';
import { requestRun } from '../../pull-request/request-run.ts';
import { pickRun, withProject, type RepoOption } from '../../project/with-store.ts';
import { placeOfRun } from '../../project/place-of-run.ts';
import { takeSnapshot } from '../../run/follow.ts';
import { isRunOver, watchHelp, watchView } from '../../run/watch-view.ts';
import type { AddCommands } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { widthOfTerminal } from '../../terminal/output.ts';

interface Options extends RepoOption {
  dryRun?: boolean;
  status?: boolean;
  watch?: boolean;
}

/** `baton pr`: opens the pull request of a run, or shows those that there are. */
export const addPr: AddCommands = (program, define) => {
  const command = program
    .command('pr')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('open a pull request with what a run landed, or show its pull requests')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--status', 'only show: open, merged or closed, and what the checks of the host say')
    .option('-w, --watch', 'show them until each is merged or closed, drawn again whenever one changes')
    .option('--dry-run', 'say what would be opened')
    .addHelpText(
      'after',
      '\nPushes the branch of the run, never by force, and opens one pull request into the branch that you have checked out, with gh or\n' +
        'glab; without a login it prints what to type. A run with `landing: pull_request` opens one for each task by itself: this shows them.\n' +
        `${watchHelp}\n` +
        'Examples:\n  $ baton pr\n  $ baton pr tidy-7k2f --dry-run\n  $ baton pr --status --json\n  $ baton pr --watch',
    );
  define(command, async (call, reference: string | undefined, options: Options) =>
    withProject(call, options, async (stored, access) => {
      const project = await placeOfRun(stored, { reference, words: ['pr'] });
      const { store } = stored;
      const run = await pickRun(stored, reference);
      const isShown = options.status === true || options.watch === true || requestsInto(run.plan) !== null;
      if (!isShown) {
        const snapshot = await takeSnapshot(stored, run.id);
        return requestRun(call, { project, snapshot, dryRun: options.dryRun === true, store });
      }
      const look = lookAtRequests(call, { project, store, run });
      const render = (view: RequestsView, colors: Colors) =>
        requestsText(view, { colors, width: widthOfTerminal(call.streams.stdout) });
      if (options.watch) return watchView(call, access, { look, data: (view) => view, render, isOver });
      const view = await look();
      call.out.result(view, (colors) => render(view, colors));
      return exitCodes.ok;
    }),
  );
};

/** Each is merged or closed, and no task of the run opens another one. */
const isOver = ({ requests, status, perTask }: RequestsView): boolean =>
  perTask ? isRunOver({ status }) : requests.every(({ state }) => state !== 'open');
