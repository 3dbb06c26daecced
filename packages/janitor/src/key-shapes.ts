/** One kind of key that is recognisable by its shape alone. */
interface KeyShape {
  kind: string;
  /** Finds it in text; global. */
  find: RegExp;
  /** POSIX expression that is in every line the shape can match: lets git pick the files to look at. */
  hint: string;
}

/** Shapes that issuers document, each with a fixed prefix and length: near enough no false alarms. */
export const keyShapes: readonly KeyShape[] = [
  { kind: 'AWS access key', find: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, hint: '(AKIA|ASIA)[A-Z0-9]{16}' },
  { kind: 'GitHub token', find: /\bgh[pousr]_[A-Za-z0-9]{36,}\b/g, hint: 'gh[pousr]_[A-Za-z0-9]{36}' },
  { kind: 'GitHub fine-grained token', find: /\bgithub_pat_[A-Za-z0-9_]{60,}\b/g, hint: 'github_pat_' },
  { kind: 'GitLab token', find: /\bglpat-[A-Za-z0-9_-]{20,}/g, hint: 'glpat-' },
  { kind: 'Slack token', find: /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/g, hint: 'xox[abeoprs]-' },
  {
    kind: 'Slack webhook',
    find: /hooks\.slack\.com\/services\/T[A-Z0-9]{8,}\/B[A-Z0-9]{8,}\/[A-Za-z0-9]{20,}/g,
    hint: 'hooks[.]slack[.]com',
  },
  { kind: 'Anthropic key', find: /\bsk-ant-[A-Za-z0-9_-]{32,}/g, hint: 'sk-ant-' },
  {
    kind: 'OpenAI key',
    find: /\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}/g,
    hint: 'sk-(proj|svcacct|admin)-',
  },
  { kind: 'Google API key', find: /\bAIza[A-Za-z0-9_-]{35}\b/g, hint: 'AIza' },
  { kind: 'Stripe live key', find: /\b[rs]k_live_[A-Za-z0-9]{20,}/g, hint: '[rs]k_live_' },
  { kind: 'npm token', find: /\bnpm_[A-Za-z0-9]{36}\b/g, hint: 'npm_[A-Za-z0-9]{36}' },
  { kind: 'Hugging Face token', find: /\bhf_[A-Za-z0-9]{34,}\b/g, hint: 'hf_[A-Za-z0-9]{34}' },
  {
    kind: 'private key',
    find: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s)+[A-Za-z0-9+/=]{40,}/g,
    hint: 'PRIVATE KEY',
  },
];

/** A key found in text. */
export interface FoundKey {
  kind: string;
  text: string;
}

/** Keys in a text, leaving out what plainly is an example: the word in it, or too few different characters. */
export function findKeys(text: string): FoundKey[] {
  return keyShapes
    .flatMap(({ kind, find }) => Array.from(text.matchAll(find), ([found]) => ({ kind, text: found })))
    .filter((key) => !isExample(key.text));
}

function isExample(text: string): boolean {
  return /EXAMPLE|example|placeholder|xxxx|XXXX|your[-_]?/i.test(text) || new Set(text.slice(-20)).size < 8;
}
