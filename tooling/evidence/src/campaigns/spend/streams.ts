import { z } from 'zod';

/** One thing that an agent does: spends US dollars, tells a cost (of a session) or a line as it is, waits, dies, ignores its cancel, gives its answer's usage. */
const step = z.union([
  z.strictObject({ spend: z.number().nonnegative() }),
  z.strictObject({ tell: z.unknown(), session: z.string().optional() }),
  z.strictObject({ heedless: z.literal(true) }),
  z.strictObject({ late: z.unknown() }),
  z.strictObject({ raw: z.string() }),
  z.strictObject({ waitMs: z.number().nonnegative() }),
  z.strictObject({ usage: z.unknown() }),
  z.strictObject({ die: z.literal(true) }),
]);

/** A stream of spending. */
export const stream = z.strictObject({
  name: z.string(),
  /** Most that it spends between two reports that can be counted, in US dollars; null: it never makes one. */
  quantumUsd: z.number().nullable(),
  /** It pauses far longer between two reports than a stop needs. */
  isSteady: z.boolean().default(false),
  steps: z.array(step),
});
export type Stream = z.output<typeof stream>;
type Step = z.output<typeof step>;

const usd = (amount: unknown, currency: unknown = 'USD') => ({ tell: { amount, currency } });
const pause = { waitMs: 60 } as const;
const round = (value: number) => Math.round(value * 1_000_000) / 1_000_000;

/** Spends `each` so many times; `report` says what is told after each. */
function spends(each: number, times: number, report: (total: number) => Step[]): Step[] {
  return Array.from({ length: times }, (_, at) => [
    { spend: each },
    ...report(round(each * (at + 1))),
    pause,
  ]).flat();
}

/** Every kind of stream, with amounts chosen by chance. */
export function kindsOf(random: () => number): readonly Stream[] {
  const each = round(0.01 + random() * 0.05);
  const times = 3 + Math.floor(random() * 5);
  const total = round(each * times);
  const nan =
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","cost":{"amount":NaN}}}}';
  const kind = (name: string, quantumUsd: number | null, steps: Step[]): Stream => ({
    name,
    quantumUsd,
    isSteady: name === 'steady',
    steps,
  });
  return [
    kind(
      'live',
      each,
      spends(each, times, (sum) => [usd(sum)]),
    ),
    kind(
      'told twice',
      each,
      spends(each, times, (sum) => [usd(sum), usd(sum)]),
    ),
    kind('at the end', total, [...spends(each, times, () => []), usd(total)]),
    kind('one jump', 3, [{ spend: 3 }, usd(3)]),
    kind(
      'steady',
      0.2,
      spends(0.2, 8, (sum) => [usd(sum)]).map((each) => ('waitMs' in each ? { waitMs: 2_000 } : each)),
    ),
    kind(
      'much more',
      0.01,
      spends(0.01, 400, (sum) => [usd(sum)]),
    ),
    kind(
      'silent',
      null,
      spends(each, times, () => []),
    ),
    kind(
      'NaN',
      null,
      spends(each, times, () => [{ raw: nan }]),
    ),
    kind(
      'Infinity',
      null,
      spends(each, times, () => [{ raw: nan.replace('NaN', '1e999') }]),
    ),
    kind(
      'negative',
      null,
      spends(each, times, () => [usd(-5)]),
    ),
    kind(
      'text',
      null,
      spends(each, times, () => [usd('0.10')]),
    ),
    kind(
      'euros',
      null,
      spends(each, times, (sum) => [usd(sum, 'EUR')]),
    ),
    kind(
      'zero',
      null,
      spends(each, times, () => [usd(0)]),
    ),
    kind('restarted', null, [
      { spend: each },
      ...Array.from({ length: 40 }, () => [usd(each), pause, { spend: each }, usd(0)]).flat(),
    ]),
    kind(
      'two sessions',
      each,
      spends(each, times, (sum) => [
        usd(sum),
        pause,
        { spend: each },
        { tell: { amount: sum }, session: 'sub' },
      ]),
    ),
    kind('heedless', 0.2, [
      { heedless: true },
      ...spends(0.2, 20, (sum) => [usd(sum)]).map((step) => ('waitMs' in step ? { waitMs: 500 } : step)),
    ]),
    kind(
      'flood',
      0.0002,
      Array.from({ length: 3_000 }, (_, at) => [{ spend: 0.0002 }, usd(round(0.0002 * (at + 1)))]).flat(),
    ),
    kind('down', null, [{ spend: each }, usd(each), { spend: each }, usd(0.001), pause]),
    kind('after its answer', each, [{ spend: each }, { late: { amount: each, currency: 'USD' } }]),
    kind('killed', null, [{ spend: each }, usd(each), { spend: each }, { die: true }]),
    kind('absurd tokens', null, [{ spend: each }, { usage: { inputTokens: 1e15, outputTokens: -1 } }]),
  ];
}
