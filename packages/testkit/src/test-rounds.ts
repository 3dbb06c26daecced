/**
 * How many rounds a test by chance plays. Its first rounds are the same in both forms, so the short form is the beginning of the full one.
 *
 * @param rounds numbers of rounds of both forms: `short` in the suite, `full` where `BATON_TEST_ROUNDS` is `full`
 * @param env the environment of the tests
 * @throws Error for another value of `BATON_TEST_ROUNDS`
 */
export function testRounds(
  { short, full }: { short: number; full: number },
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): number {
  const { BATON_TEST_ROUNDS: form = '' } = env;
  if (form !== '' && form !== 'full') throw new Error(`BATON_TEST_ROUNDS is "${form}"; it may be "full"`);
  return form === 'full' ? full : short;
}
