import { flakyAboveOf } from '@baton/contracts';
import { query, queryOne, type Db } from '../db/query.ts';
import type { Explanation } from '../model/explanation.ts';
import { gateRecordsStatement } from '../trust/gate-records.sql.ts';
import type { ExplainFacts } from './explain.sql.ts';
import { gatesOfTask } from './flaky-gates.sql.ts';

/**
 * Adds to an explanation which gates are flaky, with the measured rate: those that refused the last work, or, while work is verified,
 * those that may refuse it by chance. Source: docs/spec/landing.md#flaky-gates.
 */
export async function withFlakyGates(
  db: Db,
  explained: Explanation,
  { last }: Pick<ExplainFacts, 'last'>,
): Promise<Explanation> {
  const isVerified = explained.cause === 'verifying';
  const reasons = last?.outcome === 'rejected' && explained.status !== 'DONE' ? last.rejections : [];
  if (!isVerified && reasons.length === 0) return explained;
  const asked = await queryOne(db, gatesOfTask, [explained.taskId]);
  const gates = asked?.gates.filter(
    ({ name }) => isVerified || reasons.some((reason) => reason.startsWith(`gate ${name}: `)),
  );
  if (asked === null || gates === undefined || gates.length === 0) return explained;
  const above = flakyAboveOf(asked.plan);
  const records = await query(db, gateRecordsStatement, [asked.repoId]);
  const flaky = gates.flatMap(({ name, command }) =>
    records.filter(
      (record) => record.name === name && record.flaked > above && String(record.command) === String(command),
    ),
  );
  const said = flaky.map(
    ({ name, flaked, judged }) =>
      ` The gate ${name} is flaky: it refused ${flaked} of the last ${judged} trees that it judged and then passed them, with nothing changed (\`baton gates\`).`,
  );
  return { ...explained, text: `${explained.text}${said.join('')}` };
}
