import { errorCodes, type ErrorCode } from './error-codes.ts';

const marker = Symbol.for('baton.error');

/** What an error may carry besides its code and message. */
export interface BatonErrorOptions {
  /** What caused it; always passed when there is one. */
  cause?: unknown;
  /** One sentence that names the way out, for people. */
  fix?: string;
  /** Where: a file, line, key path, task or ref. */
  at?: string;
  /** Machine-readable facts; never secrets. */
  details?: Readonly<Record<string, unknown>>;
}

/**
 * The one error type: a broken expectation with a code from {@link errorCodes}. Outcomes (a refused move, a verdict,
 * nothing to claim) are values, and anything that is not a BatonError is a bug.
 */
export class BatonError extends Error {
  override readonly name = 'BatonError';
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly at: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [marker] = true;

  constructor(code: ErrorCode, message: string, options: BatonErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fix = options.fix;
    this.at = options.at;
    this.details = options.details ?? {};
  }

  /** Whether the same call may succeed later, by the table. */
  get retryable(): boolean {
    return errorCodes[this.code].retryable;
  }

  /** True for a BatonError of any copy of this package. */
  static is(value: unknown, code?: ErrorCode): value is BatonError {
    if (typeof value !== 'object' || value === null || !(marker in value)) return false;
    return code === undefined || (value as BatonError).code === code;
  }
}

/** An error as a line of text: code, message and way out, each a sentence of its own. */
export function errorText({
  code,
  message,
  fix,
}: {
  code?: ErrorCode;
  message: string;
  fix?: string | undefined;
}): string {
  const text = code === undefined ? message.trim() : `${code}: ${message.trim()}`;
  if (fix === undefined || fix === '') return text;
  return `${/[.!?…:]$/.test(text) ? text : `${text}.`} ${fix}`;
}
