import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, printable, shellText } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';
import { asUser, forgeOf, type Forge } from './forge.ts';
import { pushFix } from './refused-push.ts';
import type { RequestText } from './request-text.ts';

/** What became of a pull request. */
export interface Requested {
  /** `manual`: nothing was done, the commands do it; `exists`: there was one, and it has the new commits. */
  kind: 'opened' | 'exists' | 'manual' | 'would_open';
  noun: Forge['noun'];
  url: string | null;
  /** Why it is for the person to do. */
  why: string | null;
  /** What opens it, as lines for a shell. */
  commands: string[];
  bodyFile: string;
}

interface Wanted {
  /** The branch with the work. */
  head: string;
  /** The branch to merge it into. */
  base: string;
  text: RequestText;
  slug: string;
  dryRun: boolean;
}

/**
 * Pushes a run's branch, never by force, and opens a pull request with the program of its host, where that is installed and logged in.
 * Else nothing is pushed, and the answer holds the commands.
 * @throws NOT_FOUND without a remote, GIT_FAILED when the push is refused, CONFLICT when the program opens none
 */
export async function openRequest(call: Call, project: Project, wanted: Wanted): Promise<Requested> {
  const { head, base, text, slug, dryRun } = wanted;
  const remote = await remoteOf(call, project, base);
  const forge = forgeOf(remote.url);
  const bodyFile = path.join(project.state.dir, 'pull-requests', `${slug}.md`);
  const push = ['git', 'push', remote.name, `refs/heads/${head}:refs/heads/${head}`] as const;
  const request = { base, head, ...text, bodyFile };
  const known = { noun: forge.noun, bodyFile, commands: [shellText(push), forge.typed(request)] };
  if (dryRun) return { ...known, kind: 'would_open', url: null, why: null };
  await mkdir(path.dirname(bodyFile), { recursive: true });
  await writeFile(bodyFile, text.body);
  const login = await asUser(call, project, [forge.program, 'auth', 'status']);
  if (!login.ok) {
    const why = login.isMissing ? 'is not installed' : 'is not logged in';
    return { ...known, kind: 'manual', url: null, why: `${forge.program} ${why}` };
  }
  const pushed = await asUser(call, project, [...push]);
  if (!pushed.ok)
    throw new BatonError('GIT_FAILED', `${remote.name} did not take ${head}: ${lastWords(pushed.stderr)}`, {
      at: 'git push',
      fix: pushFix(pushed.stderr, { remote: remote.name, push: shellText(push) }),
    });
  const opened = await asUser(call, project, forge.create(request));
  const url = /https?:\/\/\S+/.exec(`${opened.stdout}\n${opened.stderr}`)?.[0] ?? null;
  if (opened.ok) return { ...known, kind: 'opened', url, why: null };
  if (/already exists/i.test(opened.stderr)) return { ...known, kind: 'exists', url, why: null };
  throw new BatonError('CONFLICT', `${forge.program} opened no ${forge.noun}: ${lastWords(opened.stderr)}`, {
    at: forge.program,
    fix: `${head} is pushed to ${remote.name}; open it by hand. Its text is in ${bodyFile}.`,
  });
}

/** The remote of the branch that the work goes into, else `origin`, else the only one. */
async function remoteOf(call: Call, project: Project, base: string): Promise<{ name: string; url: string }> {
  const ask = async (...args: string[]): Promise<string> =>
    (await asUser(call, project, ['git', ...args])).stdout.trim();
  const names = (await ask('remote')).split('\n').filter((name) => name !== '');
  const own = await ask('config', '--get', `branch.${base}.remote`);
  const name = [own, 'origin', ...(names.length === 1 ? names : [])].find((each) => names.includes(each));
  if (name === undefined)
    throw new BatonError('NOT_FOUND', 'The repository has no remote to push to.', {
      fix: 'Add one: `git remote add origin URL`. Or take the work into your branch with `baton merge`.',
    });
  return { name, url: await ask('remote', 'get-url', '--push', name) };
}

/** The end of what a program said, without line breaks. */
function lastWords(text: string): string {
  const lines = printable(text).trim().split('\n').slice(-4);
  return lines.map((line) => line.trim()).join(' ') || 'it said nothing.';
}
