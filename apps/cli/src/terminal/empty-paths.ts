import { BatonError } from '@baton/contracts';
import type { Command } from 'commander';

import { wordsOf } from './once.ts';

/** How the values that name a place are called in the help. */
const place = /^(path|file|dir|folder|to|from|project|.+\.(yaml|json))$/;

/** Refuses an empty text for a place: a path of no letters would be the current folder. */
export function refuseEmptyPaths(command: Command): void {
  for (const option of command.options)
    if (place.test(/<([^>]+)>/.exec(option.flags)?.[1] ?? ''))
      option.argParser(notEmpty(option.parseArg?.bind(option), { at: option.long ?? option.flags, command }));
  for (const argument of command.registeredArguments)
    if (place.test(argument.name()))
      argument.argParser(
        notEmpty(argument.parseArg?.bind(argument), { at: `<${argument.name()}>`, command }),
      );
}

type Parse = <T>(text: string, previous: T) => T;

function notEmpty(
  parse: Parse | undefined,
  { at, command }: { at: string; command: Command },
): (text: string, previous: unknown) => unknown {
  return (text, previous) => {
    if (text !== '') return parse === undefined ? text : parse<unknown>(text, previous);
    throw new BatonError('INVALID_INPUT', `${at} is an empty text.`, {
      at,
      fix: `Name the place (a variable of the shell may be unset); see \`${wordsOf(command).replace(/^baton/, 'baton help')}\`.`,
    });
  };
}
