import { BatonError } from '@baton/contracts';
import type { Fact } from '../model/fact.ts';
import { checkActor } from '../model/new-run.ts';
import type { Holding } from '../model/task.ts';

/** All facts that there are, and what each is about: an attempt, attempts, or a session. */
const aboutOf = {
  setup_failed: 'holding',
  launched: 'holdings',
  ready: 'holding',
  next_task: 'holding',
  tool_started: 'holding',
  tool_ended: 'holding',
  compaction_started: 'holding',
  compaction_ended: 'holding',
  done: 'holding',
  agent_failed: 'holding',
  released: 'holding',
  cancelled: 'holding',
  blocked: 'holding',
  decomposed: 'holding',
  rested: 'sessionId',
  batch_over: 'sessionId',
  process_died: 'sessionId',
  orphan_settled: 'holding',
  rejected: 'holding',
  approval_wanted: 'holding',
} as const satisfies Record<Fact['fact'], 'holding' | 'holdings' | 'sessionId'>;

/**
 * Checks what reports are decided by: which fact, of which attempt under which fence, told by whom. For callers that no type checker
 * saw, so it costs as good as nothing; columns have checks of their own.
 *
 * @throws INVALID_INPUT
 */
export function checkReport(facts: readonly Fact[], by: { actor: string }): void {
  checkActor(by);
  for (const given of facts) {
    const said: Partial<Record<string, unknown>> | null | undefined = given;
    const name = said?.['fact'];
    if (said === null || said === undefined || !isFactName(name))
      throw invalid(
        'fact',
        `There is no fact ${JSON.stringify(name) ?? 'undefined'} that can be reported.`,
        `The facts are: ${Object.keys(aboutOf).join(', ')}.`,
      );
    const about = aboutOf[name];
    const value = said[about];
    const isRight =
      about === 'sessionId'
        ? typeof value === 'string'
        : about === 'holding'
          ? isHolding(value)
          : Array.isArray(value) && value.length > 0 && value.every(isHolding);
    if (isRight) continue;
    const example = about === 'sessionId' ? '"…"' : '{ attemptId: "…", fence: 1 }';
    throw invalid(
      about,
      `"${name}" does not say what it is about: \`${about}\` is missing or no ${about}.`,
      `Take it from the claim: ${about}: ${about === 'holdings' ? `[${example}]` : example}`,
    );
  }
}

const isFactName = (name: unknown): name is keyof typeof aboutOf =>
  typeof name === 'string' && Object.hasOwn(aboutOf, name);

function isHolding(value: unknown): value is Holding {
  if (typeof value !== 'object' || value === null) return false;
  const { attemptId, fence } = value as Partial<Holding>;
  return typeof attemptId === 'string' && Number.isSafeInteger(fence);
}

function invalid(at: string, message: string, fix: string): BatonError {
  return new BatonError('INVALID_INPUT', message, { at, fix });
}
