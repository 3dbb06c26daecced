import { BatonError } from '@baton/contracts';
import type { z } from 'zod';

/** One tool of an in-process agent. */
export interface CognitiveTool {
  /** As the model calls it: letters, digits, underscore. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** What it does to the world: `edit` and `execute` need leave. */
  readonly kind: 'read' | 'edit' | 'execute';
  readonly input: z.ZodType<Record<string, unknown>>;
  /** One line about a call, for people, and the absolute paths it touches. */
  describe(input: Record<string, unknown>): { title: string; paths: string[] };
  /**
   * Does it. What it throws goes to the model as the call's failure.
   *
   * @param signal Aborted to stop this one call, or the whole task.
   */
  run(input: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** What {@link defineTool} takes: a tool with its input typed by its schema. */
export interface ToolDraft<Input extends Record<string, unknown>> {
  name: string;
  description: string;
  kind: CognitiveTool['kind'];
  input: z.ZodType<Input>;
  describe(input: NoInfer<Input>): { title: string; paths: string[] };
  run(input: NoInfer<Input>, signal: AbortSignal): Promise<string> | string;
}

/** Makes a tool whose input is checked against its schema before anything of it runs. */
export function defineTool<Input extends Record<string, unknown>>(draft: ToolDraft<Input>): CognitiveTool {
  return {
    name: draft.name,
    description: draft.description,
    kind: draft.kind,
    input: draft.input,
    describe: (input) => draft.describe(checked(draft, input)),
    run: async (input, signal) => await draft.run(checked(draft, input), signal),
  };
}

function checked<Input extends Record<string, unknown>>(draft: ToolDraft<Input>, input: unknown): Input {
  const parsed = draft.input.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BatonError('INVALID_INPUT', `${draft.name}: ${issue?.message ?? 'wrong input'}`, {
    at: issue?.path.join('.') ?? '',
    fix: 'Call it as its schema says.',
  });
}
