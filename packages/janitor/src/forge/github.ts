import { shellText } from '@baton/contracts';
import { z } from 'zod';
import { askJson, checkLogin, openBy } from './ask-program.ts';
import type { UserPlace } from './as-user.ts';
import type { Forge, HostChecks, HostedRequest, RequestDraft } from './forge.ts';

const states = { OPEN: 'open', MERGED: 'merged', CLOSED: 'closed' } as const;

const remark = z.object({
  author: z.object({ login: z.string() }).nullable().optional(),
  authorAssociation: z.string().optional(),
  body: z.string(),
  createdAt: z.string().optional(),
  submittedAt: z.string().nullable().optional(),
});
const listed = z.object({
  number: z.number().int(),
  url: z.string(),
  state: z.enum(['OPEN', 'MERGED', 'CLOSED']),
  baseRefName: z.string(),
  headRefOid: z.string().nullable().optional(),
  mergeCommit: z.object({ oid: z.string() }).nullable().optional(),
  mergeable: z.string().optional(),
  isCrossRepository: z.boolean().optional(),
});
const viewed = listed.extend({
  comments: z.array(remark).default([]),
  reviews: z.array(remark).default([]),
});
const fields = 'number,url,state,baseRefName,headRefOid,mergeCommit,mergeable,isCrossRepository';

const check = z.object({
  status: z.string().optional(),
  conclusion: z.string().nullable().optional(),
  state: z.string().optional(),
});

/** Whose words may tell an agent what to do: those who may write in the repository. */
const writers = ['OWNER', 'MEMBER', 'COLLABORATOR'];

const gh = (...words: string[]): ['gh', ...string[]] => ['gh', ...words];

const create = ({ base, head, title, bodyFile }: RequestDraft) =>
  gh('pr', 'create', '--base', base, '--head', head, '--title', title, '--body-file', bodyFile);

/** GitHub, by `gh`. */
export function gitHub(place: UserPlace): Forge {
  return {
    program: 'gh',
    noun: 'pull request',
    check: () => checkLogin(place, 'gh'),
    typed: (draft) => shellText(create(draft)),
    retarget: ({ number, base }) => shellText(gh('pr', 'edit', String(number), '--base', base)),
    open: (draft) => openBy(place, create(draft)),
    async find(head) {
      const argv = gh('pr', 'list', '--head', head, '--state', 'all', '--limit', '30', '--json', fields);
      const found = await askJson(place, { argv, shape: z.array(listed) });
      if (!found.ok) return found;
      const own = found.value.filter(({ isCrossRepository }) => isCrossRepository !== true);
      return { ok: true, value: own.map((each) => hosted(each)).toSorted((a, b) => b.number - a.number) };
    },
    async look(number) {
      const argv = gh('pr', 'view', String(number), '--json', `${fields},comments,reviews`);
      const found = await askJson(place, { argv, shape: viewed });
      if (found.ok) return { ok: true, value: hosted(found.value, wordsOf(found.value)) };
      const isGone = /could not resolve to a pullrequest|no pull requests? found/i.test(found.run.stderr);
      return isGone ? { ok: true, value: null } : found;
    },
    async checks(number) {
      const argv = gh('pr', 'view', String(number), '--json', 'statusCheckRollup');
      const shape = z.object({ statusCheckRollup: z.array(check).nullable().default([]) });
      const found = await askJson(place, { argv, shape });
      return found.ok ? { ok: true, value: checksOf(found.value.statusCheckRollup ?? []) } : found;
    },
  };
}

function hosted(given: z.output<typeof listed>, words: HostedRequest['words'] = null): HostedRequest {
  return {
    number: given.number,
    url: given.url,
    state: states[given.state],
    base: given.baseRefName,
    headCommit: given.headRefOid ?? null,
    mergeCommit: given.mergeCommit?.oid ?? null,
    isConflicting: given.mergeable === 'CONFLICTING',
    words,
  };
}

function wordsOf({ comments, reviews }: z.output<typeof viewed>): HostedRequest['words'] {
  const all = [...comments, ...reviews]
    .filter(({ body, authorAssociation = '' }) => body.trim() !== '' && writers.includes(authorAssociation))
    .map(({ body, author, createdAt, submittedAt }) => ({
      text: body,
      by: author?.login ?? 'somebody',
      at: createdAt ?? submittedAt ?? '',
    }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const last = all.at(-1);
  return last === undefined ? null : { by: last.by, text: last.text };
}

const good = ['SUCCESS', 'NEUTRAL', 'SKIPPED'];

/** One failed decides, then one that still runs. Pure. */
export function checksOf(checks: readonly z.output<typeof check>[]): HostChecks {
  const words = checks.map(({ state, status, conclusion }) =>
    state !== undefined ? state : status === 'COMPLETED' ? (conclusion ?? '') : 'PENDING',
  );
  if (words.length === 0) return 'none';
  if (words.some((word) => !good.includes(word) && !['PENDING', 'EXPECTED'].includes(word))) return 'failed';
  return words.every((word) => good.includes(word)) ? 'passed' : 'pending';
}
