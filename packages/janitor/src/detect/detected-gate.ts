import type { Gate } from '@baton/contracts';

/** A gate that a repository seems to have, and what speaks for it. */
export interface DetectedGate {
  gate: Gate;
  /** E.g. `package.json has the script "lint"`. */
  reason: string;
  /** The program that it needs. */
  program: string;
  /** It tests what is outside of its folder as well. */
  isWide?: true;
}

const testTimeoutMs = 1_200_000;
const otherTimeoutMs = 600_000;

/** A required gate with the usual time limit: 20 minutes for tests, 10 for others. */
export function detected(
  gate: { name: string; command: string[]; paths?: string[] },
  reason: string,
  program = gate.command[0] ?? '',
): DetectedGate {
  const timeout = gate.name.startsWith('tests') ? testTimeoutMs : otherTimeoutMs;
  return { gate: { ...gate, required: true, timeout }, reason, program };
}
