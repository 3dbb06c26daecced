import { effort, keyName } from '@baton/contracts';
import { InvalidArgumentError } from 'commander';

/** An amount of money above nothing, in micro-dollars. */
export const dollars = (text: string): number => amountOf(text, { least: 1, other: '' });

/** What a run may spend, in micro-dollars: with 0 nothing may cost money. */
export const budgetOf = (text: string): number => amountOf(text, { least: 0, other: '' });

/** A budget, or null for the word `none`. */
export function capOf(text: string): number | null {
  if (text === 'none') return null;
  if (/^(none|no|unlimited|infinity|inf)$/i.test(text))
    throw new InvalidArgumentError('Must be US dollars, or "none". Write none.');
  const hint = /^[a-z]/i.test(text) ? ' It comes before the name of the run.' : '';
  return amountOf(text, { least: 0, other: ', or "none"', hint });
}

function amountOf(
  typed: string,
  { least, other, hint = '' }: { least: 0 | 1; other: string; hint?: string },
): number {
  const text = typed.replace(/^\$(?=\d)/, '');
  const micro = Math.round(Number(text) * 1_000_000);
  if (/^\d+(\.\d{1,6})?$/.test(text) && micro >= least && micro <= 1e12) return micro;
  throw new InvalidArgumentError(`Must be US dollars, such as 5 or 0.50${other}.${moneyHint(text) || hint}`);
}

/** Quotes of a page around a number, or the currency with it. */
const dressed = /^["'“”‘’«»\s]*(?:usd?)?[$\s]*(\d+(?:\.\d{1,6})?)\s*(?:us[d$]?|[$]|dollars?)?["'“”‘’«»\s]*$/i;

/** What is wrong with an amount, where that is known. */
function moneyHint(text: string): string {
  const thousands = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : null;
  if (thousands !== null) return ` Write no comma between thousands: ${thousands}.`;
  const [, plain] = dressed.exec(text) ?? [];
  if (plain !== undefined && plain !== text) return ` Write the number alone: ${plain}.`;
  if (/^\d+\.\d{7,}$/.test(text))
    return ' The unit is a millionth of a dollar: at most 6 digits after the point.';
  if (/^\d+,\d+$/.test(text)) return ` Write a point: ${text.replace(',', '.')}.`;
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 1e6) return ' At most 1000000.';
  return '';
}

/** A level of effort. */
export function effortOf(text: string): 'low' | 'medium' | 'high' {
  const parsed = effort.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('Must be low, medium or high.');
}

/** Parses an option that is a whole number within bounds. */
export function wholeNumber({ from, to }: { from: number; to: number }): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= from && value <= to && text.trim() !== '') return value;
    throw new InvalidArgumentError(`Must be a whole number from ${from} to ${to}.`);
  };
}

/** Reads the name of an agent. @throws InvalidArgumentError */
export function agentName(text: string): string {
  if (keyName.safeParse(text).success) return text;
  throw new InvalidArgumentError(
    'Must be the name of an agent: letters, digits, ".", "-" and "_". `baton agents` lists them.',
  );
}
