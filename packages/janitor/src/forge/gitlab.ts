import { shellText, shellWord } from '@baton/contracts';
import { z } from 'zod';
import { askJson, checkLogin, openBy } from './ask-program.ts';
import type { UserPlace } from './as-user.ts';
import type { Forge, HostChecks, HostedRequest, RequestDraft } from './forge.ts';

const user = z.object({ username: z.string() }).nullable().optional();
const merge = z.object({
  iid: z.number().int(),
  web_url: z.string(),
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  target_branch: z.string(),
  source_project_id: z.number().nullable().optional(),
  target_project_id: z.number().nullable().optional(),
  sha: z.string().nullable().optional(),
  merge_commit_sha: z.string().nullable().optional(),
  squash_commit_sha: z.string().nullable().optional(),
  has_conflicts: z.boolean().optional(),
  closed_by: user,
  head_pipeline: z.object({ status: z.string() }).nullable().optional(),
});
const note = z.object({ body: z.string(), system: z.boolean().default(false), author: user });

const create = ({ base, head, title }: RequestDraft): ['glab', ...string[]] => [
  'glab',
  ...['mr', 'create', '--target-branch', base, '--source-branch', head, '--title', title, '--yes'],
];

/** GitLab, by `glab`, whose interface to the API fills in the project. */
export function gitLab(place: UserPlace): Forge {
  const ask = <T>(path: string, shape: z.ZodType<T>) =>
    askJson(place, { argv: ['glab', 'api', `projects/:id/merge_requests${path}`], shape });
  return {
    program: 'glab',
    noun: 'merge request',
    check: () => checkLogin(place, 'glab'),
    typed: (draft) => `${shellText(create(draft))} --description "$(cat ${shellWord(draft.bodyFile)})"`,
    retarget: ({ number, base }) =>
      shellText(['glab', 'mr', 'update', String(number), '--target-branch', base]),
    open: (draft) => openBy(place, [...create(draft), '--description', draft.body]),
    async find(head) {
      const query = `?source_branch=${encodeURIComponent(head)}&order_by=created_at&sort=desc&per_page=30`;
      const found = await ask(query, z.array(merge));
      if (!found.ok) return found;
      const own = found.value.filter(
        ({ source_project_id: from, target_project_id: to }) => from === undefined || from === to,
      );
      return { ok: true, value: own.map((each) => hosted(each)).toSorted((a, b) => b.number - a.number) };
    },
    async look(number) {
      const found = await ask(`/${number}`, merge);
      if (!found.ok)
        return /\b404\b/.test(found.run.stderr) && !/project not found/i.test(found.run.stderr)
          ? { ok: true, value: null }
          : found;
      if (found.value.state !== 'closed') return { ok: true, value: hosted(found.value) };
      const notes = await ask(`/${number}/notes?order_by=created_at&sort=desc&per_page=50`, z.array(note));
      if (!notes.ok) return notes;
      return { ok: true, value: hosted(found.value, wordsOf(found.value, notes.value)) };
    },
    async checks(number) {
      const found = await ask(`/${number}`, merge);
      return found.ok ? { ok: true, value: checkOf(found.value.head_pipeline?.status) } : found;
    },
  };
}

const states = { opened: 'open', locked: 'open', merged: 'merged', closed: 'closed' } as const;

/** What is merged by fast-forward has no commit of its own: its newest commit is on the target. */
function hosted(given: z.output<typeof merge>, words: HostedRequest['words'] = null): HostedRequest {
  const isMerged = given.state === 'merged';
  const merged = given.merge_commit_sha ?? given.squash_commit_sha ?? given.sha ?? null;
  return {
    number: given.iid,
    url: given.web_url,
    state: states[given.state],
    base: given.target_branch,
    headCommit: given.sha ?? null,
    mergeCommit: isMerged ? merged : null,
    isConflicting: given.has_conflicts === true,
    words,
  };
}

/** The words of the one who closed it: anybody may write on a public project, and few may close. */
function wordsOf(
  { closed_by: closer }: z.output<typeof merge>,
  notes: readonly z.output<typeof note>[],
): HostedRequest['words'] {
  const own = notes.find(
    ({ system, author, body }) => !system && body.trim() !== '' && author?.username === closer?.username,
  );
  return own === undefined || !closer ? null : { by: closer.username, text: own.body };
}

function checkOf(status: string | undefined): HostChecks {
  if (status === undefined) return 'none';
  if (status === 'success' || status === 'skipped') return 'passed';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}
