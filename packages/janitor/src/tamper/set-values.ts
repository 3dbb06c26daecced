import { bodyOf, indentOf } from './languages/body.ts';
import { indexOfLine } from './live-code.ts';
import { compare, type TestFile } from './test-file.ts';
import { tidy } from './assertions.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

const sets =
  /^\s*((?:[A-Za-z_$][\w$]*\.)*[A-Za-z_$][\w$]*)\s*=(?![=>])\s*(["'`][^"'`$]*["'`]|[\w.-]+)\s*;?\s*$/;
const literal = /^(?:["'`]|-?\d|(?:true|false|null|undefined|None|True|False)$)/;

/** New lines of tests that were there, which set to a value what the next lines then assert. Pure. */
export function setBeforeAsserted(file: TestFile): Found[] {
  const { code, changed, cases, owners, assertions } = file.after;
  const isShell = file.language.name === 'shell';
  const old = new Set(file.before.cases.map(({ title }) => title));
  const asserted = new Map(assertions.map((one) => [one.at, one.text]));
  return code.flatMap(({ at, text, bare }, index) => {
    const [, name, value] = sets.exec(text) ?? [];
    const owner = cases.find((one) => one.at === owners.get(at));
    if (name === undefined || value === undefined || !changed.has(at) || owner === undefined) return [];
    if (!old.has(owner.title) || !(isShell || literal.test(value)) || /\$/.test(bare)) return [];
    const word = new RegExp(String.raw`(?<![\w.])${name.replace(/[.$]/g, String.raw`\$&`)}(?![\w(])`);
    const isAgain = code
      .slice(indexOfLine(code, owner.at), index)
      .some((line) => word.test(line.text) && /(?<![=!<>])=(?![=>])/.test(line.text));
    const isGiven = isShell && /^(?:output|status|lines|stderr)$/.test(name);
    if (!name.includes('.') && !isAgain && !isGiven) return [];
    for (const next of code.slice(index + 1)) {
      const said = asserted.get(next.at);
      if (said === undefined && /^\s*(?:[)}\]]+;?|end|fi)\s*$/.test(next.bare)) continue;
      if (said === undefined) return [];
      if (word.test(said)) return [{ file, at }];
    }
    return [];
  });
}

/** New definitions in tests of shell for a name that they called before without one. Pure. */
export function shadowedCommands(tests: readonly TestFile[]): Found[] {
  const shells = tests.filter(({ language }) => language.name === 'shell');
  const { added } = compare(shells, { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  return added.flatMap(({ file, at, text }) => {
    const name =
      /^\s*(?:function\s+)?([\w-]+)\s*\(\s*\)/.exec(text)?.[1] ??
      /(?:>|\b(?:cp|mv|ln|install)\b.*\s)\s*["']?(?:[\w.${}-]*\/)?([\w-]+)["']?(?=\s*(?:$|[;&|]))/.exec(
        text,
      )?.[1];
    if (name === undefined || /^(?:setup|teardown)/.test(name)) return [];
    const defined = new RegExp(String.raw`^\s*(?:function\s+)?${name}\s*\(\s*\)`);
    const { code } = file.before;
    return callsCommand(file.before, name) && !code.some((line) => defined.test(line.text))
      ? [{ file, at }]
      : [];
  });
}

/** Whether a test of shell calls a command by its name. Pure. */
export function callsCommand({ code }: TestFile['before'], name: string): boolean {
  const plain = name.replace(/[^\w-]/g, '.');
  const called = new RegExp(
    String.raw`(?:\brun\s+(?:[!-]\S*\s+)*|\$\(\s*|^\s*)(?:[\w."{}$-]*\/)?${plain}(?![\w-]|\s*\()`,
  );
  return code.some(({ text }) => called.test(text));
}

const replaces =
  /\bObject\.defineProperty\s*\(\s*(\w+)\s*,|\b(?:spyOn|monkeypatch\.setattr|setattr|stub|replace)\s*\(\s*(\w+)\s*,|^\s*(\w+)\.\w+\s*=\s*(?:\(.*=>|lambda\b|\w+\.fn\b|function\b)/;

/** New lines of tests' helpers that replace a part of what the helper makes out of the sources. Pure. */
export function replacedParts(file: TestFile): Found[] {
  if (file.after.cases.length > 0) return [];
  const { code, changed } = file.after;
  return code.flatMap(({ at, bare }) => {
    const name = changed.has(at)
      ? replaces
          .exec(bare)
          ?.slice(1)
          .find((one) => one !== undefined)
      : undefined;
    if (name === undefined) return [];
    const made = new RegExp(String.raw`\b${name}\s*(?::[^=]+)?=\s*(?:new\s+)?([A-Z]\w*)\s*\(`);
    const makers = code.flatMap((line) => made.exec(line.bare)?.[1] ?? []);
    const isOurs = makers.some((maker) =>
      code.some(
        ({ text }) =>
          new RegExp(String.raw`\b${maker}\b`).test(text) &&
          (/\b(?:from|require\s*\()\s*["'][.#~@]/.test(text) || /^\s*from\s+[\w.]+\s+import\b/.test(text)),
      ),
    );
    return isOurs ? [{ file, at }] : [];
  });
}

/** Blocks of tests' helpers that take whatever fails in what they are given for a success. Pure. */
export function calmBlocks(file: TestFile): Found[] {
  const { code, changed, owners } = file.after;
  if (!/^(?:JavaScript|Python)$/.test(file.language.name)) return [];
  return code.flatMap(({ at, bare }, index) => {
    if (!changed.has(at)) return [];
    if (/^\s*(?:async\s+)?def\s+__a?exit__\s*\(/.test(bare))
      return bodyOf(code, index).some((line) => /^\s+return\s+(?:True|1)\b/.test(line.bare))
        ? [{ file, at }]
        : [];
    if (!/^\s*except\b.*:|\bcatch\s*(?:\([^)]*\))?\s*\{/.test(bare)) return [];
    const [, ...handler] = bodyOf(code, index);
    const rest = [bare.slice(bare.search(/[:{]\s*\w*$/)), ...handler.map((line) => line.bare)].join('\n');
    if (/\b(?:throw|raise|fail\w*|assert\w*|expect\w*|reject|return|push|append)\b|=/.test(rest)) return [];
    const begin = code
      .slice(0, index)
      .findLastIndex((line) => /\btry\b/.test(line.bare) && indentOf(line.text) <= indentOf(bare));
    const above = code
      .slice(0, Math.max(0, begin))
      .findLast((line) => indentOf(line.text) < indentOf(code[begin]?.text ?? ''));
    const given = (/\(([^()]*)\)/.exec(above?.bare ?? '')?.[1] ?? '').match(/[A-Za-z_$]\w*/g) ?? [];
    const tried = code.slice(Math.max(0, begin), index).map((line) => line.bare);
    const runs = tried.some(
      (line) =>
        /^\s+yield\b/.test(line) || given.some((one) => new RegExp(String.raw`\b${one}\s*\(`).test(line)),
    );
    return begin >= 0 && runs && owners.get(at) === undefined ? [{ file, at }] : [];
  });
}
