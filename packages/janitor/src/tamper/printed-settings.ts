import type { ChangedFile } from './changed-file.ts';

/** Options of runners that only say what is printed. `-v` is none: for some it prints a version and runs nothing. */
const printing =
  /(?<=\s|["'=,])(?:--verbose|--showlocals|--durations(?:-min)?[= ]\d+(?:\.\d+)?|--tb=(?:auto|long|short|line|native|no)|--colors?(?:=\w+)?|--no-colors?|--timing|--reporter[= ](?:dot|verbose|spec|tap|default|list|line|min|progress)|--format[= ](?:documentation|progress)|-ra|-rA)(?=\s|["',]|$)/g;
const ofPytest = /(?<=\b(?:pytest|go test|unittest|cargo test)\b.*\s)(?:-v{1,3}|-l)(?=\s|$)/g;
const keys =
  /\s*,?\s*(?:"(?:reporter|reporters)"\s*:\s*"(?:dot|verbose|spec|tap|default|list|min|progress)"|\b(?:colors|testdox)="(?:true|false|auto|always|never)")/g;

/** A command, or a line of settings, without what only says how results are printed. Pure. */
export function plainCommand(text: string): string {
  return text
    .replace(printing, '')
    .replace(ofPytest, '')
    .replace(keys, '')
    .replace(/\s+(?=["']|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether the changed lines of settings differ only by how results are printed. Pure. */
export function isPrintedOtherwise({ before, added, removed }: ChangedFile): boolean {
  return (
    before.length > 0 &&
    added.length > 0 &&
    added.length === removed.length &&
    added.every(({ text }, nth) => plainCommand(text) === plainCommand(removed[nth]?.text ?? ''))
  );
}

const list =
  /^\s*(?:-\s*)?["']?(select|extend-select|node|node-version|python|python-version|go|go-version|ruby|php|java|jdk|os|rust|toolchain|runner)["']?\s*[:=]\s*\[([^[\]]*)\],?\s*$/;

/** Whether the changed lines are lists of versions to run on, or of rules to check, that only get more. Pure. */
export function getsLonger({ before, added, removed }: ChangedFile): boolean {
  if (before.length === 0 || added.length === 0 || added.length !== removed.length) return false;
  return added.every(({ text }, nth) => {
    const [now, was] = [list.exec(text), list.exec(removed[nth]?.text ?? '')];
    if (now === null || was === null || now[1] !== was[1]) return false;
    const members = (all = '') =>
      all
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '');
    return members(was[2]).every((one) => members(now[2]).includes(one));
  });
}
