import { posix } from 'node:path';
import type { ChangedFile } from './changed-file.ts';
import type { ChangedPath } from './read-change.ts';
import { namedTargets } from './named-targets.ts';
import { isPrintedOtherwise } from './printed-settings.ts';
import { getsLonger } from './stricter-lists.ts';
import { settingsOf } from './stricter-json.ts';
import { isTestPath } from './test-paths.ts';

/** Whether a change of a file that defines gates makes no gate weaker: it only asks for more, or is about something else. Pure. */
export function isHarmless(file: ChangedFile): boolean {
  const name = posix.basename(file.path);
  if (isPrintedOtherwise(file) || getsLonger(file)) return true;
  const targets = namedTargets(file);
  if (targets?.isAll === true && targets.checks.length === 0) return true;
  if (/^(?:GNU)?[Mm]akefile$|\.mk$/.test(name)) return addsRules(file);
  if (/^phpunit(?:\.dist)?\.xml(?:\.dist)?$/.test(name)) return looksInMore(file);
  if (/^vite(?:\.config)?\.[cm]?[jt]s$/.test(name) && isOfProduct(file)) return true;
  return (
    /\.(?:jsonc?|json5|ini|toml|cfg|ya?ml|[cm]?[jt]s|neon|coveragerc|editorconfig|globalconfig|rc)$|rc$/.test(
      name,
    ) &&
    (isStricter(file) || isStricterJson(file))
  );
}

/** Whether a new file lies in a folder that the change begins, so that nothing that was there before is below it. Pure. */
export function isOfNewFolder(
  { path, status }: ChangedPath,
  { before, changes }: { before: readonly string[]; changes: readonly ChangedPath[] },
): boolean {
  const folder = posix.dirname(path);
  const isSpecial =
    /(^|\/)\.|(^|\/)(?:_?pytest|unittest|minitest|rspec|org|vendor|gradle|buildSrc|resources)(?:\/|\.|$)|customize\.py$|\.pth$/.test(
      path,
    );
  if (status !== 'added' || folder === '.' || isSpecial) return false;
  // Tests that were moved there could be left out by it.
  if (changes.some((one) => one.status === 'deleted' && isTestPath(one.path))) return false;
  return !before.some((one) => one.startsWith(`${folder}/`));
}

/** Whether a Makefile only gets rules with names that it did not mention. */
function addsRules({ before, added, removed, after }: ChangedFile): boolean {
  const phony = (texts: readonly { text: string }[]) =>
    texts.flatMap(({ text }) => (/^\.PHONY\s*:/.test(text) ? text.split(/\s+/).slice(1) : []));
  const listed = new Set(phony(added));
  if (
    removed.some(({ text }) => !/^\.PHONY\s*:/.test(text)) ||
    phony(removed).some((name) => !listed.has(name))
  )
    return false;
  const old = new Set(
    before.filter(({ text }) => !/^\.PHONY/.test(text)).flatMap(({ text }) => text.split(/[^\w.-]+/)),
  );
  const first = before.find(({ text }) => /^[\w.-]+\s*:(?!=)/.test(text) && !/^\.PHONY/.test(text))?.text;
  const isFirst =
    first === undefined ||
    after.find(({ text }) => /^[\w.-]+\s*:(?!=)/.test(text) && !/^\.PHONY/.test(text))?.text !== first;
  if (before.length > 0 && isFirst) return false;
  const fresh = new Set(added.map(({ at }) => at));
  return added.every(({ at, text }) => {
    // A line that is continued, or continues another, is part of it.
    if (/\\$/.test(before.length > 0 && !fresh.has(at - 1) ? (after[at - 2]?.text ?? '') : '')) return false;
    if (/^\s*#.*\\$/.test(text)) return false;
    if (/^\s*(?:#.*)?$|^\.PHONY\s*:/.test(text)) return true;
    const name = /^([\w-]+)\s*:(?![:=])/.exec(text)?.[1];
    if (name !== undefined) return !old.has(name);
    if (!/^\t/.test(text)) return false;
    // A recipe belongs to the rule above it, which must be new as well.
    const head = after
      .slice(0, at - 1)
      .reverse()
      .find((line) => !/^\t|^\s*$/.test(line.text));
    return head !== undefined && fresh.has(head.at);
  });
}

/** Whether suites of PHPUnit only get more folders or files in which tests are looked for. */
function looksInMore({ after, added, removed }: ChangedFile): boolean {
  if (removed.length > 0 || added.length === 0) return false;
  return added.every(({ at, text }) => {
    const above = after.slice(0, at - 1).findLast((line) => /<\/?(?!directory\b|file\b)\w/.test(line.text));
    return /^\s*<(directory|file)>[^<>]+<\/\1>\s*$/.test(text) && /<testsuite\b/.test(above?.text ?? '');
  });
}

/** Parts of the settings of a bundler that no runner of tests reads. */
const ofProduct =
  /^["']?(?:server|preview|build|base|css|publicDir|appType|html|envPrefix|logLevel|clearScreen|worker)["']?\s*:/;

function isOfProduct({ before, after, added, removed }: ChangedFile): boolean {
  const inside = (all: ChangedFile['after'], at: number) => {
    let limit = Infinity;
    for (let index = at - 1; index >= 0; index--) {
      const text = all[index]?.text ?? '';
      const indent = text.length - text.trimStart().length;
      if (text.trim() === '' || indent >= limit) continue;
      limit = indent;
      if (ofProduct.test(text.trim())) return true;
    }
    return false;
  };
  const isBlank = ({ text }: { text: string }) => text.trim() === '';
  return (
    before.length > 0 &&
    added.every((line) => isBlank(line) || inside(after, line.at)) &&
    removed.every((line) => isBlank(line) || inside(before, line.at))
  );
}

const setting =
  /(["']?)([\w./@-]+)\1\s*[:=]\s*\[?\s*(["']?)(true|false|off|warn|warning|error|[012](?!\d)|\d+(?:\.\d+)?)\3/g;
const isShare =
  /^(?:lines|branches|functions|statements|target|level|fail_under|minimum\w*|min_?coverage|thresholds|global|each)$/i;
const isAsked =
  /^(?:strict\w*|noUnused\w*|noImplicit\w*|noFallthrough\w*|noUnchecked\w*|noPropertyAccess\w*|exactOptional\w*|failOn\w*|fail_on\w*|disallow_\w+|warn_\w+|check_untyped_defs|forbidOnly|warningsAsErrors|xfail_strict|branch)$/;
/** Settings that make an exception of something: without it more is judged. */
const isExcused =
  /^(?:allow\w*|skipLibCheck|pass-?[wW]ith-?[nN]o-?[tT]ests|passWithNoTests|dangerously\w*|ignore_(?:errors|missing_imports|failures)|ignoreFailures|continue[-_]on[-_]error|allow_failure|testFailureIgnore|suppress\w*|implicit_optional|implicit_reexport)$/;
const ranks: Readonly<Record<string, number>> = { off: 0, warn: 1, warning: 1, error: 2 };

/** Whether a key says more strictly what it is about, or nothing else than before. `null` for a key of which nothing is known. */
function isMore(key: string, { was, now }: { was: string | undefined; now: string }): boolean | null {
  if (was === now) return true;
  const [old, fresh] = [was === undefined ? undefined : ranks[was], ranks[now]];
  if (fresh !== undefined)
    return was === undefined || old === undefined ? (was === undefined ? fresh > 0 : null) : fresh > old;
  if (isShare.test(key) && /^\d/.test(now)) return was !== undefined && Number(now) > Number(was);
  if (isExcused.test(key)) return now === 'false' && (was === 'true' || was === undefined);
  if (isAsked.test(key)) return now === 'true' && (was === 'false' || was === undefined);
  return null;
}

/** The same of a file of JSON, whatever its lines are. */
function isStricterJson(file: ChangedFile): boolean {
  const settings = settingsOf(file);
  if (settings === null) return false;
  const changed = [...settings.now].filter(([place, value]) => settings.was.get(place) !== value);
  return (
    changed.length > 0 &&
    changed.every(
      ([place, now]) =>
        isMore(place.slice(place.lastIndexOf('\0') + 1), { was: settings.was.get(place), now }) === true,
    )
  );
}

/** A line without the settings that ask for more, and that another line has not. */
function withoutMore(text: string, was: string): string {
  const more = /,\s*(["']?)([\w./@-]+)\1\s*[:=]\s*(["']?)(true|warn|warning|error)\3(?=\s*[,}\]])/g;
  const line = text.trim().replace(/,$/, '');
  return [...line.matchAll(more)].reduce((left, [found, , key = '', , value = '']) => {
    const isNew = !was.includes(key) && isMore(key, { was: undefined, now: value }) === true;
    return isNew ? left.replace(found, '') : left;
  }, line);
}

/** Whether the changed lines differ by nothing but settings that ask for more than before. */
function isStricter({ before, added, removed }: ChangedFile): boolean {
  if (before.length === 0 || added.length === 0) return false;
  const plain = (text: string) => text.trim().replace(/,$/, '');
  const shape = (text: string) =>
    plain(text).replace(setting, (_, quote: string, key: string) => `${quote}${key}=§`);
  const values = (text: string) =>
    [...plain(text).matchAll(setting)].map(([, , key = '', , value = '']) => ({ key, value }));
  const left = removed.map(({ text }) => text).filter((text) => text.trim() !== '');
  const isFine = added
    .filter(({ text }) => text.trim() !== '')
    .every(({ text }) => {
      const at = left.findIndex((was) => shape(was) === shape(text));
      const [was] = at < 0 ? [] : left.splice(at, 1);
      const now = values(text);
      if (was !== undefined) {
        const old = values(was);
        return now.every(({ key, value }, nth) => isMore(key, { was: old[nth]?.value, now: value }) === true);
      }
      const wider = left.findIndex((one) => withoutMore(text, one) === plain(one));
      if (wider >= 0) return left.splice(wider, 1).length > 0;
      const isAlone = /^["']?[\w./@-]+["']?\s*[:=]\s*["']?\w+["']?$/.test(plain(text));
      return (
        isAlone &&
        now.length === 1 &&
        now.every(({ key, value }) => isMore(key, { was: undefined, now: value }) === true)
      );
    });
  return isFine && left.length === 0;
}
