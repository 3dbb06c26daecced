/** What a reviewer answers to one question. */
export interface Answer {
  verdict: 'accept' | 'reject' | 'unsure';
  confidence?: number;
  reasons?: readonly string[];
}

/**
 * A reviewer that reads its prompt as an agent does, knows the nonce from there, and answers each question: with a rejection where the
 * patch has one of these words, else with `otherwise`.
 *
 * @param options.before a line of JavaScript that runs first, with the prompt in `prompt`
 */
export function reviewer(
  refused: Readonly<Record<string, string>>,
  { otherwise = { verdict: 'accept' }, before = '' }: { otherwise?: Answer; before?: string } = {},
): { command: string[] } {
  const program = `
const prompt = require('node:fs').readFileSync(0, 'utf8');
${before}
const [, nonce] = /"review": "([^"]+)"/.exec(prompt);
const questions = prompt.split('# Questions')[1].split('# Answer')[0].match(/^\\d+\\. /gm);
const refused = Object.entries(${JSON.stringify(refused)}).find(([word]) => prompt.includes('+' + word));
const answer = refused ? { verdict: 'reject', reasons: [refused[1]] } : ${JSON.stringify(otherwise)};
const answers = questions.map((_, at) => ({ question: at + 1, confidence: 0.9, reasons: [], ...answer }));
console.log('I read it.\\n' + JSON.stringify({ review: nonce, answers }));`;
  return { command: [process.execPath, '-e', program] };
}
