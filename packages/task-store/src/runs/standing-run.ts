import { createHash } from 'node:crypto';
import { BatonError } from '@baton/contracts';
import type { z } from 'zod';
import type { Store } from '../api/store.ts';
import type { RunDefaults, RunDraft } from '../model/requests.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { snakeKeys } from '../db/column-names.ts';
import { insertRun } from './create-run.ts';
import { hashOf } from './gates-hash.ts';
import { renewStandingStatement, runBySlug } from './standing-run.sql.ts';
import { jsonText } from '../db/json-text.ts';

type Match = Parameters<Store['inbox']['accept']>[0]['matches'][number];

/** What a run is carried out with by default. */
const bareDefaults: RunDefaults = {
  gates: [],
  workspace: null,
  agents: {},
  defaultAgent: null,
  routing: null,
};

/** A run that a rule's tasks go into, and where. */
type StandingRun = z.output<typeof runBySlug.row>;

/**
 * The standing run `trigger-<rule>`, made when it is the rule's first delivery. What it is carried out with follows the
 * repository's settings: a change of them, or a failed run, has its base chosen and verified again.
 */
export async function standingRun(
  db: Db,
  match: Match,
  by: { actor: string; reason: string },
): Promise<StandingRun> {
  const place = { location: match.repo.location, host: match.repo.host };
  const plain = `trigger-${match.rule}`;
  // A rule that serves several repositories or targets has a run for each.
  const special = `${plain}-${createHash('sha256')
    .update(JSON.stringify([place, match.target]))
    .digest('hex')
    .slice(0, 6)}`;
  for (const slug of [plain, special]) {
    const run = await queryOne(db, runBySlug, [slug]);
    if (run === null) {
      await insertRun(db, { draft: standingDraft(match, { slug, place }), by, standing: true }).catch(
        (error: unknown) => {
          // Another delivery made it at the same moment.
          if (!BatonError.is(error, 'CONFLICT')) throw error;
        },
      );
    }
    const made = run ?? (await queryOne(db, runBySlug, [slug]));
    if (
      made !== null &&
      made.location === place.location &&
      made.host === place.host &&
      made.target === match.target
    ) {
      if (run !== null) await renew(db, { runId: run.id, defaults: match.defaults });
      return made;
    }
  }
  throw new BatonError('CONFLICT', `The run ${special} belongs to another repository.`, {
    fix: 'Rename the rule.',
    details: { rule: match.rule },
  });
}

async function renew(
  db: Db,
  { runId, defaults }: { runId: string; defaults: Match['defaults'] },
): Promise<void> {
  const patch = defaults === undefined ? {} : snakeKeys({ ...defaults, gatesHash: hashOf(defaults.gates) });
  await query(db, renewStandingStatement, [runId, jsonText(patch)]);
}

function standingDraft(match: Match, options: { slug: string; place: RunDraft['repo'] }): RunDraft {
  return {
    slug: options.slug,
    name: match.rule,
    repo: options.place,
    target: match.target,
    baseCommit: match.baseCommit,
    batchSize: 3,
    maxAgents: null,
    trust: 'observe',
    review: false,
    budgetMicroUsd: null,
    allowRed: [],
    plan: null,
    tasks: [],
    createdBy: `trigger:${match.rule}`,
    ...(match.defaults ?? bareDefaults),
  };
}
