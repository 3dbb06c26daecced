import { pnpm } from '../run.ts';
import type { Rule } from '../rule.ts';

// Licences whose terms an Apache-2.0 distribution can keep. Build tools are not distributed, so weak copyleft does there.
const shipped = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Unlicense',
  'Zlib',
]);
const toolsOnly = new Set([...shipped, 'CC-BY-3.0', 'CC-BY-4.0', 'EPL-2.0', 'MPL-2.0', 'Python-2.0']);

/** Dependencies carry licences that fit Apache-2.0. */
export const licences: Rule = {
  name: 'licences',
  what: 'the licence of every dependency fits Apache-2.0',
  async check() {
    return [...(await refused('--prod', shipped)), ...(await refused('--dev', toolsOnly))];
  },
};

async function refused(scope: '--prod' | '--dev', allowed: ReadonlySet<string>): Promise<string[]> {
  const { stdout, stderr, exitCode } = await pnpm('licenses', 'list', '--recursive', scope, '--json');
  if (exitCode !== 0) return [`pnpm licenses list ${scope} failed: ${stderr.trim()}`];
  const byLicence = JSON.parse(stdout) as Record<string, { name: string; versions: string[] }[]>;
  return Object.entries(byLicence)
    .filter(([licence]) => !fits(licence, allowed))
    .flatMap(([licence, packages]) =>
      packages.map(({ name, versions }) => `${name} ${versions.join(', ')}: ${licence} (${scope.slice(2)})`),
    );
}

/** Whether an SPDX expression leaves a choice that is allowed: one branch of an OR, every part of an AND. */
export function fits(expression: string, allowed: ReadonlySet<string>): boolean {
  return expression
    .replace(/^\(|\)$/g, '')
    .split(/ or /i)
    .some((branch) => branch.split(/ and /i).every((part) => allowed.has(part.replace(/[()]/g, '').trim())));
}
