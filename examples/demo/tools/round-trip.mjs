// Adds a property test to the package's own suite.
import { writeFileSync } from 'node:fs';

writeFileSync(
  'test/round-trip.js',
  `'use strict';

const test = require('tape');
const fc = require('fast-check');
const qs = require('../');

const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_ é&=+]*$/).filter((name) => !(name in Object.prototype));
const value = fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 2, maxLength: 5 }));

test('parse undoes stringify', function (t) {
  fc.assert(
    fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (object) => {
      const back = qs.parse(qs.stringify(object));
      return require('util').isDeepStrictEqual({ ...back }, { ...object });
    }),
    { seed: 1, numRuns: 300, examples: [[{ a: 'b & c', d: ['1', '2'] }]] },
  );
  t.pass('300 random objects came back unchanged');
  t.end();
});
`,
);
