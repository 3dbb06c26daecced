/** A word of a line for a POSIX shell, quoted where it needs to be. Pure. */
export const shellWord = (text: string): string =>
  /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Words as a line for a POSIX shell, e.g. in the way out that an error offers. Pure. */
export const shellText = (words: readonly string[]): string => words.map(shellWord).join(' ');
