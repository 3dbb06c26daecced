import type { Language } from './language.ts';
import { others } from './others.ts';

/** Swift with XCTest and Swift Testing. */
export const swift: Language = {
  ...others,
  name: 'Swift',
  files: /\.swift$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: '"', long: ['"""'] },
  found: /\.swift$/,
  cases:
    /^\s*(?:(?:public|internal|final|override|open|nonisolated|@MainActor)\s+)*func\s+test\w*|^\s*@Test\b/g,
  assertions: new RegExp(`${others.assertions.source}|#require\\s*\\(`, 'g'),
  same: [...(others.same ?? []), [/#require\s*\(/g, '#expect(']],
  skips: [
    ...others.skips,
    { pattern: /\.isInverted\s*=\s*true\b|\bexpectedFulfillmentCount\s*=\s*0\b/, fineIfNew: true },
    { pattern: /^\s*#\s*if\s+(?:!?[A-Z][A-Z_0-9]+|false|0)\s*$/, fineIfNew: true },
  ],
  swallows: [
    ...others.swallows,
    { pattern: /\boverride\s+(?:\w+\s+)*func\s+(?:record|recordFailure|perform|invokeTest|run)\s*\(/ },
    { pattern: /\btry\?\s.*(?:XCTUnwrap|#require|XCTAssert)/ },
  ],
};

/** Elixir with ExUnit. */
export const elixir: Language = {
  ...others,
  name: 'Elixir',
  files: /\.exs?$/,
  syntax: { line: ['#'], block: [], quotes: `"'` },
  assertions: new RegExp(
    `${others.assertions.source}|\\bverify(?:_on_exit)?!|^\\s*doctest(?=\\s+[A-Z])`,
    'g',
  ),
  same: [...(others.same ?? []), [/~r\//g, '/']],
  hollow: [...others.hollow, /\bmatch\?\s*\(\s*_\w*\s*,/],
  skips: [
    ...others.skips,
    {
      pattern:
        /\bautorun:\s*false\b|@describetag\s+:?skip\b|\bExUnit\.(?:start|configure)\s*\(.*\bmax_cases:\s*0/,
    },
  ],
  swallows: [
    ...others.swallows,
    {
      pattern:
        /\bSystem\.(?:stop|halt)\s*\(\s*(?:0|:abort)?\s*\)|\b:init\.stop\s*\(|\b:erlang\.halt\s*\(\s*0?\s*\)/,
    },
  ],
};

/** Dart and Flutter. */
export const dart: Language = {
  ...others,
  name: 'Dart',
  files: /\.dart$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: `"'`, long: ["'''", '"""'] },
  forgets: new RegExp(
    `${others.forgets?.source ?? ''}|\\bemitsAnyOf\\b|\\bemitsInAnyOrder\\b|\\bmayEmit\\w*\\b`,
  ),
  exact: new RegExp(
    `${others.exact.source}|\\bemitsInOrder\\b|\\bemitsAnyOf\\b|\\bhasLength\\b|\\.called\\s*\\(`,
  ),
  partial: new RegExp(`${others.partial.source}|\\bemits\\w*\\b|\\bisA\\b|\\bcontains\\w*\\b`),
  assertions: new RegExp(`${others.assertions.source}|(?<![.\\w])verify(?:Never|InOrder)?\\s*\\(`, 'g'),
  swallows: [
    ...others.swallows,
    { pattern: /\bunawaited\s*\(.*\bexpect|\bexpectLater\s*\(.*\)\.ignore\s*\(/ },
  ],
  // One exception has several names in matchers.
  same: [
    ...(others.same ?? []),
    [/\bthrows([A-Z]\w*(?:Error|Exception))\b/g, 'throwsA($1)'],
    [
      /\b(?:const\s+)?(?:isA|TypeMatcher)<(\w+)>\(\)|\bis([A-Z]\w*(?:Error|Exception))\b/g,
      (found) => found.replace(/^(?:const\s+)?(?:isA|TypeMatcher)<|>\(\)$|^is(?=[A-Z])/g, ''),
    ],
  ],
  hollow: [...others.hollow, /,\s*(?:completion\s*\(|throwsA\s*\(|emits\s*\()?\s*anything\s*\)/],
  skips: [
    ...others.skips,
    { pattern: /\bsolo:\s*true\b|\bretry:\s*[1-9]|^\s*@(?:Skip|Retry)\s*\(|\bmarkTestSkipped\s*\(/ },
    { pattern: /^\s*@(?:TestOn|OnPlatform)\s*\(|\b(?:testOn|onPlatform):/, fineIfNew: true },
  ],
};
