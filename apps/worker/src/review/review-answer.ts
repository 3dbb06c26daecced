import { inputIssues, printable, type ReviewAnswer } from '@baton/contracts';
import { z } from 'zod';
import type { Question } from './review-questions.ts';

const answers = z.strictObject({
  review: z.string(),
  answers: z.array(
    z.strictObject({
      question: z.number().int(),
      verdict: z.enum(['accept', 'reject', 'unsure']),
      confidence: z.number().min(0).max(1),
      reasons: z.array(z.string().trim().min(1).max(2_000)).max(20),
    }),
  ),
});

/** Most places in a text where an answer may begin that are tried. */
const mostPlaces = 200;

/**
 * Reads the answers out of what a reviewer said: the last JSON object that carries the nonce. Each question is answered exactly once, a
 * rejection has a reason; anything else is no answer. Pure.
 */
export function readAnswer(
  said: string,
  { nonce, questions }: { nonce: string; questions: readonly Question[] },
): { ok: true; answers: ReviewAnswer[] } | { ok: false; why: string } {
  const found = lastObject(said, nonce);
  if (found === null) return no(`no JSON object with "review": "${nonce}" is in it`);
  const parsed = answers.safeParse(found);
  if (!parsed.success) {
    const [issue] = inputIssues(parsed.error);
    return no(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is not as asked for'}`);
  }
  const given = parsed.data.answers;
  const numbers = given.map(({ question }) => question);
  if (numbers.length !== questions.length || questions.some((_, at) => !numbers.includes(at + 1)))
    return no(`it does not answer each of the ${questions.length} questions once`);
  const silent = given.find(({ verdict, reasons }) => verdict === 'reject' && reasons.length === 0);
  if (silent !== undefined) return no(`question ${silent.question} is rejected without a reason`);
  return {
    ok: true,
    answers: questions.map(({ name }, at) => {
      const { verdict, confidence, reasons } = given[numbers.indexOf(at + 1)] ?? unsure;
      return { question: name, verdict, confidence, reasons: reasons.map(printable) };
    }),
  };
}

const unsure = { verdict: 'unsure', confidence: 0, reasons: [] as string[] } as const;
const no = (why: string) => ({ ok: false, why }) as const;

/** The last object in a text that carries the nonce, from whichever brace it begins at; null: none. */
function lastObject(text: string, nonce: string): unknown {
  let end = text.length;
  for (let tried = 0; tried < mostPlaces; tried += 1) {
    const start = text.lastIndexOf('{', end - 1);
    if (start === -1) return null;
    const found = objectAt(text, start);
    if (found !== null && typeof found === 'object' && 'review' in found && found.review === nonce)
      return found;
    end = start;
    if (end === 0) return null;
  }
  return null;
}

/** The JSON object that begins at a brace; null: there is none. */
function objectAt(text: string, start: number): unknown {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) return parsed(text.slice(start, at + 1));
    }
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
