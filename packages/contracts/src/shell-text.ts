/** A word of a line for a POSIX shell, quoted where it needs to be. Pure. */
export const shellWord = (text: string): string =>
  /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A command as a person would type it; of a line for the shell, that line. Pure. */
export function commandText(command: readonly string[]): string {
  const [program, flag, script] = command;
  return program === 'sh' && flag === '-c' && command.length === 3 && script !== undefined
    ? script
    : command.join(' ');
}

/** Words as a line for a POSIX shell, e.g. in the way out that an error offers. Pure. */
export const shellText = (words: readonly string[]): string => words.map(shellWord).join(' ');
