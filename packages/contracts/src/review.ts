import { z } from 'zod';

const words = z.string().trim().min(1).max(20_000);

/** Signals that a reviewer decides: an agent that did not write the change (docs/spec/landing.md#reviews). */
export const reviewSignals = [
  z.strictObject({
    type: z.literal('llm_review'),
    prompt: words.describe('what must be true of the change, for the reviewer'),
  }),
  z.strictObject({
    type: z.literal('llm_judge'),
    criteria: words.describe('by what the reviewer judges the change'),
    min_confidence: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .describe('a yes that the reviewer is less sure of is left to a person; default 0.7'),
  }),
] as const;

/** One question to a reviewer and its answer. */
export const reviewAnswer = z.strictObject({
  question: z.string(),
  /** `unsure`: a person decides. */
  verdict: z.enum(['accept', 'reject', 'unsure']),
  /** From 0 to 1. */
  confidence: z.number().min(0).max(1),
  reasons: z.array(z.string()),
});
export type ReviewAnswer = z.output<typeof reviewAnswer>;

/** What a reviewer said of the change of one attempt. */
export const review = z.strictObject({
  /** Commit whose change since the start of the attempt was read. */
  head: z.string(),
  by: z.strictObject({ agent: z.string(), model: z.string().nullable() }),
  /** In the order of the questions; empty where there is no answer. */
  answers: z.array(reviewAnswer),
  /** Why there is no answer; null: all questions are answered. */
  unanswered: z.string().nullable(),
  /** Whether all is known that its author spent, and all that the reviewer spent. */
  measured: z.strictObject({ author: z.boolean(), reviewer: z.boolean() }),
  at: z.iso.datetime(),
});
export type Review = z.output<typeof review>;
