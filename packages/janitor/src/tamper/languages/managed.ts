import type { Language } from './language.ts';
import { others } from './others.ts';

/** C#, F# and Visual Basic with xUnit, NUnit and MSTest. */
export const dotnet: Language = {
  ...others,
  name: 'C#',
  files: /\.(cs|fs|vb)$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: `"'` },
  assertions: new RegExp(
    `${others.assertions.source}|(?<=\\w)\\.(?:Verify\\w*|Received\\w*|DidNotReceive)\\s*\\(`,
    'g',
  ),
  partial: new RegExp(`${others.partial.source}|\\bDoes\\.\\w+|\\bHas\\.\\w+|\\bContain\\w*`),
  // The last number of a comparison says how far the two may differ.
  forgets:
    /^Assert\.(?:Equal|AreEqual)\s*\(.+,.+,\s*(?:[\d.]+[mdf]?|TimeSpan\.\w+\([^()]*\))\)$|\b(?:precision|tolerance|ignoreCase|comparisonType)\s*:|\.Within\s*\(|\bBeApproximately\b|\bBeCloseTo\b|IgnoreCase\b|\bIt\.IsAny\b|\bAtLeast\w*\b|\bAtMost\w*\b|\bArg\.Any\b|\bEquivalent\b/,
  skips: [
    ...others.skips,
    { pattern: /^\s*#\s*if\s+(?:!?[A-Z][A-Z_0-9]+|false|0)\s*$/, fineIfNew: true },
    { pattern: /^\s*\[(?:[^\]]*,\s*)?(?:Retry\w*|Flaky\w*|Conditional(?:Fact|Theory))\b/ },
    { pattern: /\bthrow\s+new\s+(?:Skip|Ignore|Inconclusive|Success|AssertInconclusive)\w*Exception\b/ },
    { pattern: /\bAssume\.\w+\s*\(/, fineIfNew: true },
  ],
  notices: [
    ...others.notices,
    /\b(?:FriendlyName|ProcessName|CommandLine|GetEntryAssembly\s*\(\s*\))\b.*["'][^"']*test/i,
    /\bAppDomain\b.*\bGetAssemblies\b.*["'][^"']*(?:test|moq|nsubstitute)/i,
  ],
};

/** PHP with PHPUnit and Pest. */
export const php: Language = {
  ...others,
  name: 'PHP',
  files: /\.php$/,
  assertions: new RegExp(
    `${others.assertions.source}|->(?:expects|shouldReceive|shouldHaveReceived|shouldNotReceive)\\s*\\(`,
    'g',
  ),
  skips: [
    ...others.skips,
    { pattern: /\bexpectNotToPerformAssertions\s*\(|#\[DoesNotPerformAssertions\b/, fineIfNew: true },
    { pattern: /@doesNotPerformAssertions\b|@requires\s/, inComments: true, fineIfNew: true },
    { pattern: /#\[Requires\w+/, fineIfNew: true },
    { pattern: /\bthrow\s+new\s+[\w\\]*(?:Skipped|Incomplete)\w*(?:Exception|Error)\b/ },
  ],
};
