import { reflectionCheckpoint, type PostTaskReflection } from '@baton/fsm-core';
import { z } from 'zod';
import { withMessage } from './messages.ts';
import type { Mind } from './mind.ts';
import { think } from './think.ts';

const request = `The task is over. Look back on it and answer with JSON alone, of this shape:
{"facts":[{"path":"short/name","content":"something true of this repository that is worth remembering"}],
"episode":{"title":"","summary":"","details":"","lesson":""} or null,"assessment":"one sentence"}`;

const reflection = z.object({
  facts: z.array(z.object({ path: z.string(), content: z.string() })).default([]),
  episode: z
    .object({ title: z.string(), summary: z.string(), details: z.string(), lesson: z.string() })
    .nullable()
    .default(null),
  assessment: z.string(),
});

/** Lets the model look back on a completed task. It never changes how the task ended: a model that fails here has learned nothing. */
export async function reflectOn(mind: Mind): Promise<PostTaskReflection | null> {
  const { model, instructions, signal, onEvent, clock, keep } = mind.options;
  try {
    const { messages } = mind.context();
    const thought = await think({
      ...{ model, instructions, signal, onEvent, clock, retries: 0, tools: [] },
      messages: withMessage(messages, { role: 'user', content: request }),
    });
    const found = reflection.parse(JSON.parse(/\{[\s\S]*\}/.exec(thought.text)?.[0] ?? ''));
    await keep(reflectionCheckpoint(mind.task().taskId, { reflection: found, at: clock.now().getTime() }));
    return found;
  } catch {
    return null;
  }
}
