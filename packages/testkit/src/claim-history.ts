/**
 * One call that concerns the holding of one task. What a killed process never heard the answer of has no `respondedAt`:
 * it may have had its effect at any later time, or never.
 */
export interface ClaimOperation {
  taskId: string;
  /**
   * `claim`: takes a free task · `renew`: shows the lease · `release`: gives the task back · `done`: finishes it ·
   * `steal`: takes it from a holder that is thought dead · `adopt`: takes on, under a new fence, what was stolen.
   */
  kind: 'claim' | 'renew' | 'release' | 'done' | 'steal' | 'adopt';
  worker: string;
  /** Times of one clock that all processes share, any unit. */
  invokedAt: number;
  respondedAt: number | null;
  /** Attempt that it got (claim, adopt) or named; null for a claim that was never answered. */
  attemptId: string | null;
  /** Fence that it got (claim, adopt) or showed; null where it is unknown. */
  fence: number | null;
  /** What was answered; null: nothing. */
  ok: boolean | null;
}

/** A task whose calls, in whatever order, no single queue could have answered so. */
export interface ClaimContradiction {
  taskId: string;
  operations: readonly ClaimOperation[];
}

/** What one queue would know of one task. */
interface Holding {
  /** `stolen`: taken from its holder; it may be adopted, or be free again. */
  state: 'free' | 'held' | 'stolen' | 'done';
  attemptId: string | null;
  fence: number | null;
  lastFence: number;
}

const fresh: Holding = { state: 'free', attemptId: null, fence: null, lastFence: 0 };

/**
 * Decides for each task whether its calls are linearizable: whether each can be given one moment between call and
 * answer so that a queue which does one thing at a time answers just so. Tasks are independent of one another, so each
 * history is short; the search is that of Wing and Gong with the states it has been in remembered (Lowe).
 *
 * @returns the tasks for which there is no such order; none is well.
 */
export function contradictions(history: readonly ClaimOperation[]): ClaimContradiction[] {
  const byTask = new Map<string, ClaimOperation[]>();
  for (const operation of history)
    byTask.set(operation.taskId, [...(byTask.get(operation.taskId) ?? []), operation]);
  return [...byTask].flatMap(([taskId, operations]) => {
    const sorted = [...operations].sort((a, b) => a.invokedAt - b.invokedAt);
    return isLinearizable(sorted) ? [] : [{ taskId, operations: sorted }];
  });
}

function isLinearizable(operations: readonly ClaimOperation[]): boolean {
  const seen = new Set<string>();
  const search = (left: readonly ClaimOperation[], holding: Holding): boolean => {
    if (left.every(({ ok }) => ok === null)) return true; // what was never answered need not have happened
    const key = `${left.map((operation) => operations.indexOf(operation)).join()} ${JSON.stringify(holding)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const firstAnswer = Math.min(...left.map(({ respondedAt }) => respondedAt ?? Infinity));
    return left
      .filter(({ invokedAt }) => invokedAt <= firstAnswer)
      .some((operation) => {
        const rest = left.filter((one) => one !== operation);
        return after(holding, operation).some((next) => search(rest, next));
      });
  };
  return search(operations, fresh);
}

/** What the queue knows after a call that it answered so; nothing: it would not have answered so. */
function after(holding: Holding, operation: ClaimOperation): Holding[] {
  const { ok } = operation;
  if (ok === false) return effect(holding, operation) === null ? [holding] : [];
  const next = effect(holding, operation);
  return next === null ? [] : [next];
}

function effect(holding: Holding, { kind, attemptId, fence }: ClaimOperation): Holding | null {
  const { state, lastFence } = holding;
  const isNewer = fence === null || fence > lastFence;
  const taken: Holding = { state: 'held', attemptId, fence, lastFence: fence ?? lastFence + 1 };
  switch (kind) {
    case 'claim':
      return (state === 'free' || state === 'stolen') && isNewer ? taken : null;
    case 'adopt':
      return state === 'stolen' && isNewer && matches(holding.attemptId, attemptId) ? taken : null;
    case 'steal':
      return state === 'held' && matches(holding.attemptId, attemptId)
        ? { ...holding, state: 'stolen', fence: null }
        : null;
    case 'renew':
    case 'release':
    case 'done': {
      const isHolder =
        state === 'held' && matches(holding.attemptId, attemptId) && matches(holding.fence, fence);
      if (!isHolder) return null;
      if (kind === 'renew') return holding;
      return { ...holding, state: kind === 'done' ? 'done' : 'free', attemptId: null, fence: null };
    }
    default:
      return kind satisfies never;
  }
}

/** What is not known may be anything. */
const matches = <T>(one: T | null, other: T | null) => one === null || other === null || one === other;
