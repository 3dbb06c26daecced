import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonLines } from './json-lines.ts';

function reader(maxLineBytes = 1_000_000) {
  const seen = { values: [] as unknown[], others: [] as string[], floods: 0 };
  const lines = jsonLines({
    onValue: (value) => void seen.values.push(value),
    onOther: (line) => void seen.others.push(line),
    onFlood: () => void (seen.floods += 1),
    maxLineBytes,
  });
  return { seen, lines };
}

function read(pieces: readonly (string | Buffer)[], maxLineBytes?: number) {
  const { seen, lines } = reader(maxLineBytes);
  for (const piece of pieces) lines.push(Buffer.from(piece));
  lines.end();
  return seen;
}

it('the same values come in the same order, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 12 }),
      fc.array(fc.nat(400), { maxLength: 20 }),
      fc.boolean(),
      (values, cuts, isEnded) => {
        const text = values.map((value) => JSON.stringify(value)).join('\n') + (isEnded ? '\n' : '');
        const bytes = Buffer.from(text);
        const ends = [...cuts.filter((cut) => cut <= bytes.length), bytes.length].sort((a, b) => a - b);
        const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        expect(read(pieces)).toEqual({
          values: values.map((value) => JSON.parse(JSON.stringify(value)) as unknown),
          others: [],
          floods: 0,
        });
      },
    ),
  );
});

it('line ends of Windows, a byte order mark and blank lines are no obstacle; what is no JSON is given as it is', () => {
  expect(
    read(['\uFEFF{"a":1}\r\n', '\r\n\n  \n', ' [2] \n', 'null\n', '{"a":NaN}\nhello\n', '{"cut']),
  ).toEqual({
    values: [{ a: 1 }, [2], null],
    others: ['{"a":NaN}', 'hello', '{"cut'],
    floods: 0,
  });
});

it('bytes that are no UTF-8 are replaced, and a line after them is read', () => {
  expect(read([Buffer.from([0x22, 0xff, 0x22, 0x0a]), '"whole"\n']).values).toEqual(['\uFFFD', 'whole']);
});

it('a line that is too long is said once, and nothing is read or kept after it', () => {
  expect(read(['"short"\n"', 'x'.repeat(60), 'x'.repeat(60), '"\n"later"\n', '"more"'], 100)).toEqual({
    values: ['short'],
    others: [],
    floods: 1,
  });
  expect(read([`"${'x'.repeat(98)}`, '"\n"next"\n'], 100).values).toHaveLength(2);
});
