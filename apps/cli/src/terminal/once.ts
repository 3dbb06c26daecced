import { BatonError } from '@baton/contracts';
import type { Command, Option } from 'commander';

/** Refuses a second value of an option that takes one: the last one would win without a word. */
export function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    const takesOne = (option.required || option.optional) && !option.variadic;
    if (takesOne) refuseSecond(option, command);
  }
}

function refuseSecond(option: Option, command: Command): void {
  const parse = option.parseArg?.bind(option);
  let first: string | undefined;
  option.argParser((text: string, previous: unknown) => {
    if (first !== undefined) throw givenTwice(option, { values: [first, text], command });
    first = text;
    return parse === undefined ? text : parse(text, previous);
  });
}

function givenTwice(
  { long, short }: Option,
  { values: [first, second], command }: { values: readonly [string, string]; command: Command },
): BatonError {
  const name = long ?? short ?? '';
  return new BatonError('INVALID_INPUT', `${name} is given twice: "${first}" and "${second}".`, {
    at: name,
    fix: `Give it once, such as \`${wordsOf(command)} ${name} ${first}\`.`,
  });
}

/** `baton plan check`. */
export function wordsOf(command: Command): string {
  const before = command.parent === null ? '' : `${wordsOf(command.parent)} `;
  return `${before}${command.name()}`;
}
