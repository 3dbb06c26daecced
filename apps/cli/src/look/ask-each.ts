import { BatonError, personsWords } from '@baton/contracts';
import { diffChange } from '@baton/janitor';
import type { Approval } from '@baton/task-store';

import { askLine } from '../terminal/ask.ts';
import type { Call } from '../terminal/call.ts';
import { colorDiff } from './color-diff.ts';
import { decide, type Decided, type Word } from './decide.ts';
import { lookSummary } from './look-text.ts';
import { pageText } from './show.ts';
import { lookAtWaiting, type LookPlace, type WaitingWork } from './waiting-work.ts';
import { widthOfTerminal } from '../terminal/output.ts';

const choices = '[y]es [n]o [d]iff [s]kip [q]uit';
const help = 'y lands it, n refuses it, d shows the diff, s leaves it for later, q leaves all that is left.';

/** How a round of questions ended. */
export interface Asked {
  decided: Decided[];
  /** `quit`: by the person's word; `closed`: end of input or Ctrl-C; null: all were asked. */
  ended: 'quit' | 'closed' | null;
}

const yes: Word = { approve: true, reason: 'approved at the terminal' };

type Answer = 'yes' | 'no' | 'skip' | 'quit' | 'closed';

/**
 * Shows finished work task by task, and asks at the terminal what becomes of it. Each answer is carried out at once; what is left
 * open by the end of input or Ctrl-C stays as it is.
 */
export async function askEach(
  call: Call,
  place: LookPlace,
  { approvals, signal }: { approvals: readonly Approval[]; signal?: AbortSignal },
): Promise<Asked> {
  const decided: Decided[] = [];
  for (const approval of approvals) {
    const work = await lookAtWaiting(call, place, approval);
    if (work === null) continue;
    const style = { colors: call.out.noteColors, width: widthOfTerminal(call.streams.stderr) };
    call.out.note(`\n${lookSummary(work, style)}\n`);
    const answer = await askOne(call, { place, work, signal });
    if (answer === 'quit' || answer === 'closed') return { decided, ended: answer };
    if (answer === 'skip') continue;
    const word = answer === 'yes' ? yes : await askWhy(call, signal);
    if (word === null) return { decided, ended: 'closed' };
    try {
      const done = await decide(call, place.store, { approval, word });
      decided.push(done);
      call.out.note(done.text);
    } catch (error) {
      // Somebody else was faster, or the task was cancelled.
      if (!BatonError.is(error, 'CONFLICT')) throw error;
      call.out.note(`${work.looked.task.key} does not wait any more.`);
    }
  }
  return { decided, ended: null };
}

/** A "no" with the words for the next try, if there are any. Null: the question was left open. */
async function askWhy(call: Call, signal: AbortSignal | undefined): Promise<Word | null> {
  for (;;) {
    const line = await askLine(call, 'What should the next try do otherwise? (Enter: there is none)', signal);
    if (line === null) return null;
    const no = { approve: false, reason: 'rejected at the terminal' };
    if (line === '') return no;
    const words = personsWords.safeParse(line);
    if (words.success) return { ...no, say: words.data };
    call.out.note('That is too long for a prompt: at most 2000 characters.');
  }
}

async function askOne(
  call: Call,
  { place, work, signal }: { place: LookPlace; work: WaitingWork; signal: AbortSignal | undefined },
): Promise<Answer> {
  const { key } = work.looked.task;
  for (;;) {
    const line = await askLine(call, `Land it? ${key}: ${choices}`, signal);
    switch (line?.toLowerCase()) {
      case undefined:
        return 'closed';
      case 'y':
      case 'yes':
        return 'yes';
      case 'n':
      case 'no':
        return 'no';
      case 's':
      case 'skip':
        return 'skip';
      case 'q':
      case 'quit':
        return 'quit';
      case 'd':
      case 'diff':
        await showDiff(call, place, work);
        break;
      default:
        call.out.note(help);
    }
  }
}

async function showDiff(call: Call, { project }: LookPlace, { looked }: WaitingWork): Promise<void> {
  if (project === null || looked.change === null) return call.out.note('Its work cannot be read here.');
  const { text } = await diffChange({ git: project.git, ...looked.change, patch: true });
  const { colors, noteColors } = call.out;
  if (await pageText(call, { text: colorDiff(text ?? '', colors), project })) return;
  call.out.note(colorDiff(text ?? '', noteColors));
}
