import { BatonError } from '@baton/contracts';
import type { Command } from 'commander';

import { helpTopics } from './help-topics.ts';
import { nearest } from './nearest.ts';
import { wordsOf } from './once.ts';

/** What `baton help` shows: a command, a page on a topic, or both. */
interface HelpPage {
  command: Command | null;
  topic: string | null;
}

/**
 * The page of `baton help <words>`: of a topic, of a command, or of both; of a command of a family at any depth.
 *
 * @returns null when no word is given: the general help is meant
 * @throws INVALID_INPUT naming what there is
 */
export function helpFor(program: Command, words: readonly string[]): HelpPage | null {
  const [first] = words;
  if (first === undefined) return null;
  const topic = words.length === 1 && Object.hasOwn(helpTopics, first) ? (helpTopics[first] ?? null) : null;
  if (topic !== null && commandOf(program, first) === undefined) return { command: null, topic };
  let command = program;
  for (const word of words) {
    const inner = commandOf(command, word);
    if (inner === undefined) throw unknown(command, word);
    command = inner;
  }
  return { command, topic };
}

/** A command of a program or family, by its name or another. */
export const commandOf = (parent: Command, word: string): Command | undefined =>
  parent.commands.find((each) => each.name() === word || each.aliases().includes(word));

function unknown(command: Command, word: string): BatonError {
  const isTop = command.parent === null;
  const names = command.commands.map((each) => each.name());
  const topics = isTop ? Object.keys(helpTopics) : [];
  const meant = nearest(word, [...names, ...topics]);
  const what = isTop ? 'no command and no topic' : `no \`${wordsOf(command)}\` command`;
  return new BatonError(
    'INVALID_INPUT',
    `There is ${what} "${word}"${meant === undefined ? '.' : `; did you mean "${meant}"?`}`,
    {
      fix: isTop
        ? `\`baton help\` lists the commands; topics: ${topics.join(', ')}.`
        : `It has: ${names.join(', ') || 'none below it'}.`,
    },
  );
}
