import type { ChangedFile, Line } from './changed-file.ts';

const list =
  /^\s*(?:-\s*)?["']?(select|extend-select|node|node-version|python|python-version|go|go-version|ruby|php|java|jdk|os|rust|toolchain|runner)["']?\s*[:=]\s*\[([^[\]]*)\],?\s*$/;
/** Lists of checks to make, whose members have lines of their own. */
const ofChecks = /^\s*(?:-\s*)?["']?(?:enable|select|extend-select|hooks)["']?\s*[:=]\s*\[?\s*$/;

/** Whether the changed lines are lists of versions to run on, or of rules to check, that only get more. Pure. */
export function getsLonger({ before, after, added, removed }: ChangedFile): boolean {
  if (before.length === 0 || added.length === 0) return false;
  if (removed.length === 0) return added.every((line) => isMember(line, after));
  if (added.length !== removed.length) return false;
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

/** Whether a line is one more member of a list of checks. */
function isMember({ at, text }: Line, all: readonly Line[]): boolean {
  const member = /^\s*(?:-\s+(?:id:\s*)?["']?[\w./@-]+["']?|["'][\w./@-]+["'],?)\s*$/;
  const above = all.slice(0, at - 1).findLast((line) => line.text.trim() !== '' && !member.test(line.text));
  return member.test(text) && above !== undefined && ofChecks.test(above.text);
}
