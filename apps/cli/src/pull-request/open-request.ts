import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, shellText } from '@baton/contracts';
import { asUser, forgeOf, lastWords, pushFix, remoteOf, type Forge } from '@baton/janitor';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';
import { userPlace } from '../project/user-place.ts';
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
  const place = userPlace(call, project);
  const otherwise = 'Or take the work into your branch with `baton merge`.';
  const remote = await remoteOf(place, base, { otherwise });
  const forge = forgeOf(place, remote.url);
  const bodyFile = path.join(project.state.dir, 'pull-requests', `${slug}.md`);
  const push = ['git', 'push', remote.name, `refs/heads/${head}:refs/heads/${head}`] as const;
  const draft = { base, head, ...text, bodyFile };
  const known = { noun: forge.noun, bodyFile, commands: [shellText(push), forge.typed(draft)] };
  if (dryRun) return { ...known, kind: 'would_open', url: null, why: null };
  await mkdir(path.dirname(bodyFile), { recursive: true });
  await writeFile(bodyFile, text.body);
  const login = await forge.check();
  if (!login.ok) {
    const why = login.why === 'missing' ? 'is not installed' : 'is not logged in';
    return { ...known, kind: 'manual', url: null, why: `${forge.program} ${why}` };
  }
  const pushed = await asUser(place, [...push]);
  if (!pushed.ok)
    throw new BatonError('GIT_FAILED', `${remote.name} did not take ${head}: ${lastWords(pushed.stderr)}`, {
      at: 'git push',
      fix: pushFix(pushed.stderr, { remote: remote.name, push: shellText(push) }),
    });
  const opened = await forge.open(draft);
  if (opened.ok) return { ...known, ...opened.value, why: null };
  throw new BatonError(
    'CONFLICT',
    `${forge.program} opened no ${forge.noun}: ${opened.text.split('\n', 1)[0] ?? ''}`,
    {
      at: forge.program,
      fix: `${head} is pushed to ${remote.name}; open it by hand. Its text is in ${bodyFile}.`,
    },
  );
}
