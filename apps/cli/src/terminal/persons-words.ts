import { BatonError, personsWords } from '@baton/contracts';

/** What `--say` was given, as it goes into the next prompt; undefined: nothing. @throws INVALID_INPUT */
export function wordsGiven(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const { data, success } = personsWords.safeParse(text);
  if (success) return data;
  const isEmpty = text.trim() === '';
  throw new BatonError('INVALID_INPUT', isEmpty ? 'There are no words.' : 'The words are too many.', {
    at: '--say',
    fix: isEmpty
      ? 'Say what the next try should do, e.g. --say "keep the old name".'
      : `They go into the prompt: at most 2000 characters, and these are ${text.length}. Name a file to read for more.`,
  });
}
