/** Milliseconds of a unit, by how its name begins; longer names first. */
const units: readonly (readonly [begins: RegExp, ms: number])[] = [
  [/^n(?:s$|ano)/, 1e-6],
  [/^(?:us$|µs$|micro)/, 1e-3],
  [/^(?:ms$|milli)/, 1],
  [/^s(?:$|ec)/, 1e3],
  [/^m(?:$|in)/, 6e4],
  [/^h(?:$|r|our)/, 3.6e6],
  [/^d(?:$|ay)/, 8.64e7],
];

const unit = String.raw`(?:nano|micro|milli)?s(?:ec(?:ond)?s?)?|ms|us|min(?:ute)?s?|hours?|days?`;
const amount = String.raw`(\d[\d_]*(?:\.\d+)?)[lL]?`;
const forms = [
  // Go, and a number with its unit as another argument.
  String.raw`${amount}\s*\*\s*time\.(${unit})\b`,
  String.raw`\btime\.(${unit})\s*\*\s*${amount}`,
  String.raw`${amount}\s*,\s*(?:unit\s*=\s*)?(?:TimeUnit|ChronoUnit)\.(${unit})\b`,
  // Java, Rust, C#, Swift, Python, Dart.
  String.raw`\b(?:Duration|TimeSpan)\s*(?:\.|::)\s*(?:of|from_?|From)?(${unit})\s*\(\s*${amount}\s*\)`,
  String.raw`(?<![\w)])\.(${unit})\s*\(\s*${amount}\s*\)`,
  String.raw`\b(?:timedelta|Duration)\s*\(\s*(${unit})\s*[=:]\s*${amount}\s*\)`,
  // Kotlin, Ruby, Scala, C++.
  String.raw`(?<![\w.])${amount}\.(${unit})\b(?:\(\))?`,
  String.raw`\bchrono::(${unit})\s*[({]\s*${amount}\s*[)}]`,
].map((form) => new RegExp(form, 'gi'));

/** A text in which durations are numbers of milliseconds, so that two of them can be compared in whatever units they are. Pure. */
export function inMilliseconds(text: string): string {
  return forms.reduce(
    (all, form) =>
      all.replace(form, (found: string, one: string, other: string) => {
        const [value, name] = /^\d/.test(one) ? [one, other] : [other, one];
        const ms = units.find(([begins]) => begins.test(name.toLowerCase()))?.[1];
        if (ms === undefined) return found;
        return String(Number((Number(value.replaceAll('_', '')) * ms).toPrecision(12)));
      }),
    text,
  );
}
