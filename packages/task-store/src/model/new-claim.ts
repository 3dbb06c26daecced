import { BatonError } from '@baton/contracts';
import type { ClaimRequest, NewClaim } from './requests.ts';

/** How long a lease lasts that is not renewed, by default. */
const usualLeaseMs = 120_000;
const longestLeaseMs = 24 * 3_600_000;

/** Completes what somebody asks for who claims. @throws INVALID_INPUT, also for callers that no type checker saw */
export function completeClaim<Asked extends Partial<NewClaim>>(asked: Asked): Asked & ClaimRequest {
  const { workerId, maxTasks = 1, leaseMs = usualLeaseMs, capabilities: can = {} } = asked;
  if (typeof workerId !== 'string' || workerId === '')
    throw invalid(
      'workerId',
      'No worker is named that claims.',
      'Give it an id, such as { workerId: "w1" }.',
    );
  if (!Number.isInteger(leaseMs) || leaseMs < 1 || leaseMs > longestLeaseMs)
    throw invalid('leaseMs', 'A lease is 1 ms to 24 hours long.', 'Give it in milliseconds, such as 120000.');
  const { host = '', labels = [] } = can;
  if (typeof host !== 'string' || !Array.isArray(labels))
    throw invalid(
      'capabilities',
      'What the worker can do is given in another shape.',
      'Give it as { host: "build-1", labels: ["gpu"] }.',
    );
  return { ...asked, workerId, maxTasks, leaseMs, capabilities: { ...can, host, labels } };
}

function invalid(at: string, message: string, fix: string): BatonError {
  return new BatonError('INVALID_INPUT', message, { at, fix });
}
