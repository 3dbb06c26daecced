import { z } from 'zod';
import { snake } from '../db/column-names.ts';
import { taskRow } from '../db/rows.ts';

const fields = taskRow.out.shape;
/** What is more than a value that the column's type and checks vouch for: documents, moments, numbers that may be texts. */
const parsed = ['agent', 'source', 'notBefore', 'maxCostMicroUsd', 'createdAt', 'updatedAt'] as const;
const isParsed: ReadonlySet<string> = new Set(parsed);
const plain = Object.keys(fields)
  .filter((name) => !isParsed.has(name))
  .map((name) => [name, snake(name)] as const);
const rest = parsed.map((name) => [name, snake(name), fields[name]] as const);

/**
 * A task that the claim itself has just set and made into JSON: renamed, and not parsed field by field once more. A test holds it
 * to what `taskRow` says.
 */
export const claimedTask = z
  .custom<Record<string, unknown>>()
  .transform((columns): z.output<typeof taskRow> => {
    const task: Record<string, unknown> = {};
    for (const [name, column] of plain) task[name] = columns[column];
    for (const [name, column, field] of rest) {
      const value = columns[column];
      task[name] = value === null ? null : field.parse(value);
    }
    return task as z.output<typeof taskRow>;
  });
