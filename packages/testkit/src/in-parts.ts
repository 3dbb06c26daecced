/**
 * The cases of a table in two parts: the first ones, which `npm test` runs, and the others, which have the tag `long`.
 *
 * ```ts
 * for (const [cases, tagged] of inParts(1, ['sha1', 'sha256']))
 *   test.each(cases)('reads objects of %s', tagged, async (format) => { … });
 * ```
 *
 * @param inSuite how many of them are no long tests
 */
export function inParts<const T>(
  inSuite: number,
  cases: readonly T[],
): [cases: T[], tagged: { tags: string[] }][] {
  return [
    [cases.slice(0, inSuite), { tags: [] }],
    [cases.slice(inSuite), { tags: ['long'] }],
  ];
}
