const mostNamed = 5;

/** The first five of some names, and how many more there are. */
export function shortList(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
