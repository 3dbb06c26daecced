import { z } from 'zod';
import { short, shortKey } from '../../agent/short.ts';

/*
 * What is read of an agent's messages. Loose on purpose: agents add fields, leave out required ones and send kinds of
 * update that the protocol's own schemas do not know; what cannot be read is passed over.
 */

const meta = z.record(z.string(), z.unknown()).nullish().catch(null);
const text = z.string().nullish().catch(null);

const mostTitle = 1_000;
const mostKey = 200;
const shortText = (most: number) =>
  z
    .string()
    .transform((whole) => short(whole, most))
    .nullish()
    .catch(null);

/** Tool calls as they come in `tool_call`, `tool_call_update` and permission requests. */
export const toolMessage = z.looseObject({
  toolCallId: z.string().transform((id) => shortKey(id, mostKey)),
  title: shortText(mostTitle),
  kind: shortText(mostKey),
  status: text,
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.array(z.unknown()).nullish().catch(null),
  locations: z
    .array(z.looseObject({ path: z.string() }))
    .nullish()
    .catch(null),
  _meta: meta,
});
export type ToolMessage = z.output<typeof toolMessage>;

/** The part of a `session/update` that says what happened. */
export const sessionUpdate = z.looseObject({
  sessionUpdate: z.string(),
  content: z.unknown().optional(),
  entries: z
    .array(z.looseObject({ content: z.string() }))
    .nullish()
    .catch(null),
  used: z.number().nullish().catch(null),
  /** Read by `readCost`: what cannot be read must not pass for nothing. */
  cost: z.unknown().optional(),
  _meta: meta,
});
export type SessionUpdate = z.output<typeof sessionUpdate>;

/** `session/update`. */
export const updateParams = z.looseObject({
  sessionId: z.string().optional().catch(undefined),
  update: sessionUpdate,
});

/** `session/request_permission`. */
export const permissionParams = z.looseObject({
  toolCall: toolMessage,
  options: z.array(z.looseObject({ optionId: z.string(), kind: z.string().catch('') })).catch([]),
});
export type PermissionParams = z.output<typeof permissionParams>;

/** Answer to `initialize`. */
export const initializeResult = z.looseObject({
  agentInfo: z
    .looseObject({ name: z.string().catch('') })
    .nullish()
    .catch(null),
});

const value = z.looseObject({ value: z.string() });
/** Values of an option, which may stand in groups. */
const values = z
  .array(z.union([value, z.looseObject({ options: z.array(value) })]))
  .catch([])
  .optional()
  .transform((all = []) =>
    all.flatMap((one) => ('value' in one ? [one.value as string] : one.options.map((each) => each.value))),
  );
const choice = z.looseObject({ id: z.string(), category: text, currentValue: text, options: values });

/** Answer to `session/new`. */
export const newSessionResult = z.looseObject({
  sessionId: z.string(),
  modes: z
    .looseObject({ availableModes: z.array(z.looseObject({ id: z.string() })).catch([]) })
    .nullish()
    .catch(null),
  configOptions: z.array(choice).nullish().catch(null),
  models: z
    .looseObject({
      currentModelId: text,
      availableModels: z
        .array(z.looseObject({ modelId: z.string() }))
        .catch([])
        .optional(),
    })
    .nullish()
    .catch(null),
});
export type NewSession = z.output<typeof newSessionResult>;

/** Answer to `session/set_config_option`: all options as they are now. */
export const changedOptions = z.looseObject({ configOptions: z.array(choice) });

const quota = z.looseObject({
  token_count: z
    .looseObject({ input_tokens: z.unknown().optional(), output_tokens: z.unknown().optional() })
    .nullish()
    .catch(null),
  model_usage: z
    .array(z.looseObject({ model: z.string() }))
    .nullish()
    .catch(null),
});

/** A failure as claude-agent-acp and codex-acp tell it to a client that asks for it. */
export const sessionFailure = z.looseObject({
  category: z.string(),
  severity: z.string(),
  title: z.string().catch(''),
});
export type SessionFailure = z.output<typeof sessionFailure>;

const failureMeta = z.looseObject({ jetbrains: z.looseObject({ air: z.looseObject({ sessionFailure }) }) });

/** Answer to `session/prompt`. */
export const promptResult = z.looseObject({
  stopReason: z.string().catch(''),
  /** Read by `readTokens`. */
  usage: z.unknown().optional(),
  _meta: z
    .looseObject({ quota: quota.nullish().catch(null) })
    .nullish()
    .catch(null),
});
export type PromptResult = z.output<typeof promptResult>;

/** The failure in a message's `_meta`, if there is one. */
export function failureIn(value: unknown): SessionFailure | null {
  const parsed = failureMeta.safeParse(value);
  return parsed.success ? parsed.data.jetbrains.air.sessionFailure : null;
}

const textBlock = z.looseObject({ text: z.string() });

/** Text of a content block; empty for any other kind. */
export function textOf(content: unknown): string {
  const block = textBlock.safeParse(content);
  return block.success ? block.data.text : '';
}
