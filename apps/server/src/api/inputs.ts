import { z } from 'zod';

/** An id as the store makes them. Anything else names nothing, and is refused before the database is asked. */
export const rowId = z.guid('must be an id such as 0197f3a4-1c5e-7000-8000-5a3f0c6d2b10');

/** A run by id, slug or unique start of the slug. */
export const runReference = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be an id, a slug or the start of one')
  .describe('id, slug or unique start of the slug');

/** The run that a command acts on, by id or whole slug. The start of one passes this, and `namedRun` says which run it would be. */
export const wholeRun = runReference.describe('id or whole slug');

/** Where a page begins: what the page before gave out. */
export const pageCursor = z.guid('must be a cursor that a page gave out');

/** Why a person decides so. */
export const reasonText = z.string().min(1).max(1000);

/** Names a command, so that it takes effect once however often it is sent. */
export const commandId = z.string().min(1).max(200);
