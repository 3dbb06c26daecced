import { createHash } from 'node:crypto';
import { BatonError } from '@baton/contracts';
import type { StorePart } from '@baton/task-store';

/** A call that carries an id of its caller's choice. */
export interface NamedCall {
  /** Id of the key that the call came with. */
  keyId: string;
  /** "runs.setBudget" */
  procedure: string;
  /** The id of the caller. */
  commandId: string;
  /** The whole input as its schema gives it. */
  input: unknown;
  actor: string;
}

/**
 * The id under which the store carries a call out once. The caller's id belongs to its key and to the procedure, and names one input.
 * @throws CONFLICT when the same key has used it for the same procedure with another input
 */
export async function ownCommand(store: StorePart<{ commands: 'open' }>, call: NamedCall): Promise<string> {
  const { keyId, procedure, commandId, actor } = call;
  const name = digest([keyId, procedure, commandId]);
  const input = digest(call.input);
  const opened = await store.commands.open({ id: `call:${name}`, actor, request: input });
  if (opened !== input)
    throw new BatonError(
      'CONFLICT',
      `The command "${commandId}" was sent to ${procedure} before, with another input.`,
      {
        at: 'commandId',
        fix: 'Repeat it with the input it had, or give the new command an id of its own.',
      },
    );
  return `api:${name}`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex');
}

/** Keys of an object in one order: what a client writes first does not make it another input. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
