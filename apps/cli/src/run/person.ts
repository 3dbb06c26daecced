import path from 'node:path';

import { commitStyle, type Plan } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';

/**
 * The plan with the person who starts its run as co-author of what lands, where neither the plan nor `baton.yaml` names
 * one: `user.name` and `user.email` as git would take them in this repository. Without them the plan names no one.
 */
export async function withPerson(call: Call, project: Project, plan: Plan): Promise<Plan> {
  if (plan.commits?.co_author !== undefined) return plan;
  const person = commitStyle.shape.co_author.safeParse(await personOf(call, project)).data;
  return person === undefined ? plan : { ...plan, commits: { ...plan.commits, co_author: person } };
}

async function personOf(call: Call, project: Project): Promise<string | undefined> {
  const who = await identityOf(call, project);
  return who === undefined ? undefined : `${who.name} <${who.email}>`;
}

/** Whom git would name as the author of a commit that the person makes here; undefined: the settings name no one. */
export async function identityOf(
  { env }: Pick<Call, 'env'>,
  { git, root }: Pick<Project, 'git' | 'root'>,
): Promise<{ name: string; email: string } | undefined> {
  const { GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME, HOME = '' } = env.all;
  // Baton's own git reads no one's settings; these two of the person are asked for by name.
  const files =
    GIT_CONFIG_GLOBAL === undefined
      ? [
          path.join(HOME, '.gitconfig'),
          path.join(XDG_CONFIG_HOME ?? path.join(HOME, '.config'), 'git', 'config'),
        ]
      : [GIT_CONFIG_GLOBAL];
  const read = async (key: string): Promise<string> => {
    for (const file of files) {
      const told = await git(['config', '--includes', '--get', key], {
        cwd: root,
        env: { GIT_CONFIG_GLOBAL: file },
      });
      if (told.exitCode === 0 && told.stdout.trim() !== '') return told.stdout.trim();
    }
    return '';
  };
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, EMAIL } = env.all;
  const name = GIT_AUTHOR_NAME || (await read('user.name'));
  const email = GIT_AUTHOR_EMAIL || (await read('user.email')) || EMAIL || '';
  return name === '' || email === '' ? undefined : { name, email };
}
