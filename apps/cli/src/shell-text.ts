/** A word of a shell line. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Words as a line for a shell. */
export const shellText = (argv: readonly string[]): string => argv.map(quoted).join(' ');
