import { BatonError } from '@baton/contracts';
import { currentStep, markStepDone, type ActionResult, type PlanStep } from '@baton/fsm-core';
import type { ToolUse } from '../../supervise/loops.ts';
import { boundedOutput } from '../../process/bounded-output.ts';
import { toolResult, withMessage } from './messages.ts';
import type { Mind } from './mind.ts';
import type { WantedCall } from './think.ts';
import type { CognitiveTool } from '../tools/tool.ts';

const outputBytes = 32 * 1024;
const eventLength = 2_000;

/** The acting stage: does the next step of the plan. Returns the call it made, for the loop detector; null: none. */
export async function act(mind: Mind): Promise<ToolUse | null> {
  const { plan } = mind.context();
  const step = plan === null ? null : currentStep(plan);
  if (plan === null || step === null || step.actionType !== 'tool_call') {
    const text = step?.actionParams['text'];
    if (plan !== null && step !== null)
      mind.note({ finalResult: typeof text === 'string' ? text : '', plan: markStepDone(plan, step.index) });
    await mind.move('STEP_COMPLETED', 'it answered');
    return null;
  }
  const call = step.actionParams as unknown as WantedCall;
  const startedAt = mind.options.clock.now().getTime();
  const done = await callTool(mind, call);
  if (mind.options.signal.aborted) return null; // not finished: it is done again when the task resumes
  const completedAt = mind.options.clock.now().getTime();
  const { messages, actionsDone } = mind.context();
  mind.note({
    plan: markStepDone(plan, step.index),
    messages: withMessage(messages, toolResult(call, done)),
    actionsDone: [...actionsDone, actionOf(step, { ...done, startedAt, completedAt })],
  });
  const type = done.failed ? 'TOOL_CALL_FAILED' : 'TOOL_CALL_COMPLETED';
  await mind.move(type, `${call.toolName} ${done.failed ? 'failed' : 'was done'}`);
  return { title: done.title, kind: done.kind, input: JSON.stringify(call.input), paths: done.paths };
}

interface Done {
  output: string;
  failed: boolean;
  title: string;
  kind: string;
  paths: string[];
}

async function callTool(mind: Mind, call: WantedCall): Promise<Done> {
  const { tools, onEvent, calls, signal } = mind.options;
  const tool = tools.find((one) => one.name === call.toolName);
  const about = describe(tool, call);
  const own = new AbortController();
  calls?.set(call.toolCallId, own);
  onEvent({ type: 'tool_started', toolId: call.toolCallId, title: about.title, kind: about.kind });
  const { output, failed } = await attempt(mind, {
    tool,
    call,
    about,
    signal: AbortSignal.any([signal, own.signal]),
  });
  calls?.delete(call.toolCallId);
  const said = own.signal.aborted ? `It was stopped. ${output}` : output;
  const clean = bounded((mind.options.redact ?? ((text) => text))(said));
  onEvent({
    type: 'tool_completed',
    toolId: call.toolCallId,
    failed,
    output: clean.slice(0, eventLength),
  });
  return { ...about, output: clean, failed };
}

type About = Pick<Done, 'title' | 'kind' | 'paths'>;

function describe(tool: CognitiveTool | undefined, { toolName, input }: WantedCall): About {
  const kind = tool?.kind ?? 'other';
  try {
    return { kind, ...(tool?.describe(input) ?? { title: toolName, paths: [] }) };
  } catch {
    return { kind, title: toolName, paths: [] }; // its input is wrong, which running it says
  }
}

async function attempt(
  mind: Mind,
  {
    tool,
    call,
    about,
    signal,
  }: { tool: CognitiveTool | undefined; call: WantedCall; about: About; signal: AbortSignal },
): Promise<{ output: string; failed: boolean }> {
  if (tool === undefined) return { output: `There is no tool ${call.toolName}.`, failed: true };
  if (tool.kind !== 'read' && !(await isAllowed(mind, call, about)))
    return { output: 'You may not do this.', failed: true };
  try {
    return { output: await tool.run(call.input, signal), failed: false };
  } catch (error) {
    const fix = BatonError.is(error) && error.fix !== undefined ? `\n${error.fix}` : '';
    return { output: `${error instanceof Error ? error.message : String(error)}${fix}`, failed: true };
  }
}

async function isAllowed(mind: Mind, call: WantedCall, about: About): Promise<boolean> {
  const { permission, onEvent } = mind.options;
  if (permission === undefined) return true;
  const answer = await permission(about);
  onEvent({
    type: 'permission_requested',
    requestId: call.toolCallId,
    title: about.title,
    decision: answer === 'allow' ? 'allowed' : 'denied',
  });
  return answer === 'allow';
}

function bounded(text: string): string {
  const output = boundedOutput(outputBytes);
  output.push(Buffer.from(text));
  return output.text();
}

function actionOf(
  step: PlanStep,
  { output, failed, startedAt, completedAt }: Done & { startedAt: number; completedAt: number },
): ActionResult {
  return {
    stepIndex: step.index,
    actionType: step.actionType,
    actionInput: step.actionParams,
    success: !failed,
    ...(failed ? { error: output.slice(0, eventLength) } : { result: output.slice(0, eventLength) }),
    startedAt,
    completedAt,
    durationMs: completedAt - startedAt,
  };
}
