import { withMessage } from './messages.ts';
import { CognitiveFailure, type Mind } from './mind.ts';
import { modelFailure } from './model-failure.ts';
import { think } from './think.ts';

const request =
  'The conversation is getting long. Sum up for yourself what is needed to finish the task: what was asked, what was found out, which files were changed and how, and what is left to do.';

/** Puts a summary by the model in place of the conversation; the task itself stays as it was asked. */
export async function compact(mind: Mind): Promise<void> {
  const { model, instructions, signal, retries = 2, onEvent, clock } = mind.options;
  const { messages } = mind.context();
  onEvent({ type: 'compaction_started' });
  try {
    const summary = await think({
      ...{ model, instructions, signal, onEvent, clock, retries, tools: [] },
      messages: withMessage(messages, { role: 'user', content: request }),
    });
    if (summary.text === '') throw new Error('the model gave no summary');
    const [first] = messages;
    const kept = first === undefined ? [] : [first];
    mind.note({
      messages: withMessage(kept, { role: 'user', content: `What happened so far:\n${summary.text}` }),
    });
    mind.contextTokens = 0;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CognitiveFailure({
      summary: `The conversation could not be summed up: ${(await modelFailure(error, clock.now())).summary}`,
      abortReason: 'compact_failure',
      transitionReason: 'compaction_failed',
    });
  } finally {
    onEvent({ type: 'compaction_ended' });
  }
}
