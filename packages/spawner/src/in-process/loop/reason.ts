import type { Plan, PlanStep } from '@baton/fsm-core';
import { z } from 'zod';
import { compact } from './compact.ts';
import { toolResult, withMessage } from './messages.ts';
import { CognitiveFailure, type Mind } from './mind.ts';
import { modelFailure } from './model-failure.ts';
import { think, type Thought, type WantedCall } from './think.ts';
import { defineTool } from '../tools/tool.ts';

const defaultSteps = 60;
const defaultContextTokens = 100_000;

/** Asked instead of run: it suspends the task. */
export const askTool = defineTool({
  name: 'ask',
  description:
    'Asks the person who gave the task, and waits for the answer. Only for what cannot be found out.',
  kind: 'read',
  input: z.object({ question: z.string().min(1) }),
  describe: () => ({ title: 'Ask', paths: [] }),
  run: () => '',
});

/** The reasoning stage: asks the model, and makes a plan of its answer. */
export async function reason(mind: Mind): Promise<void> {
  const { maxSteps = defaultSteps, contextTokens = defaultContextTokens } = mind.options;
  const { iteration } = mind.context();
  if (iteration >= maxSteps)
    throw new CognitiveFailure({
      summary: `It did not finish within ${maxSteps} answers of the model.`,
      transitionReason: 'max_turns',
    });
  if (mind.contextTokens > contextTokens) await compact(mind);
  const thought = await ask(mind);
  const { onEvent } = mind.options;
  mind.contextTokens = thought.contextTokens;
  if (thought.text !== '') onEvent({ type: 'message', kind: 'assistant', text: thought.text });
  refuseHalves(thought);
  const { messages, inputText } = mind.context();
  mind.note({
    iteration: iteration + 1,
    reasoning: { text: thought.text, finish: thought.finish },
    messages: withMessage(messages, { role: 'assistant', content: thought.text, parts: thought.parts }),
  });
  const question = thought.calls.find((call) => call.toolName === askTool.name);
  if (question !== undefined && mind.options.canAsk === true) return wait(mind, { question, thought });
  mind.note({ plan: planOf(thought, inputText) });
  await mind.move('REASON_DONE', thought.calls.length > 0 ? 'it wants to use tools' : 'it answers');
}

async function ask(mind: Mind): Promise<Thought> {
  const { model, instructions, tools, signal, effort, retries = 2, canAsk, clock, onEvent } = mind.options;
  try {
    return await think({
      ...{ model, instructions, signal, retries, onEvent, clock },
      ...(effort === undefined ? {} : { effort }),
      messages: mind.context().messages,
      tools: canAsk === true ? [...tools, askTool] : tools,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const { outcome, ...failure } = await modelFailure(error, clock.now());
    throw new CognitiveFailure({ outcome, ...failure });
  }
}

/** An answer that was cut off, withheld or empty is none. */
function refuseHalves({ text, calls, finish }: Thought): void {
  if (finish === 'length')
    throw new CognitiveFailure({
      summary: 'The answer of the model was cut off at its limit of output.',
      transitionReason: 'max_output_tokens',
    });
  if (finish === 'content-filter' || finish === 'error' || (text === '' && calls.length === 0))
    throw new CognitiveFailure({
      summary: `The model gave no answer (${finish}).`,
      abortReason: 'provider_error',
    });
}

function planOf({ text, calls }: Thought, inputText: string): Plan {
  const steps = calls.length > 0 ? calls.map(callStep) : [{ ...respond, actionParams: { text } }];
  return { goal: inputText.slice(0, 500), steps, reasoning: text };
}

const respond: PlanStep = {
  index: 0,
  description: 'answer',
  actionType: 'respond',
  actionParams: {},
  completed: false,
};

function callStep(call: WantedCall, index: number): PlanStep {
  return {
    index,
    description: call.toolName,
    actionType: 'tool_call',
    actionParams: { ...call },
    completed: false,
  };
}

/** What was asked beside the question is not done: the answer may change it. */
async function wait(
  mind: Mind,
  { question, thought }: { question: WantedCall; thought: Thought },
): Promise<void> {
  const others = thought.calls.filter((call) => call !== question);
  for (const call of others) {
    const answer = toolResult(call, { output: 'Not done: a question is open.', failed: true });
    mind.note({ messages: withMessage(mind.context().messages, answer) });
  }
  mind.note({ reasoning: { ...mind.context().reasoning, asked: { ...question } } });
  const { question: text } = question.input;
  await mind.move('NEED_MORE_INFO', typeof text === 'string' ? text : 'it needs to know more');
}

/** Continues after a question, with its answer. */
export async function hear(mind: Mind, answer: string): Promise<void> {
  const { asked } = (mind.context().reasoning ?? {}) as { asked?: WantedCall };
  const message =
    asked === undefined
      ? ({ role: 'user', content: answer } as const)
      : toolResult(asked, { output: answer, failed: false });
  mind.note({ messages: withMessage(mind.context().messages, message) });
  await mind.move('MESSAGE_RECEIVED', 'the question was answered');
}
