/**
 * Providers of the price data, in the order in which a model id without a provider is looked up: makers of models first,
 * resellers after them, so that `claude-sonnet-5` means Anthropic's price and not a reseller's.
 */
export const providerOrder = [
  'anthropic',
  'openai',
  'google',
  'x-ai',
  'mistral',
  'deepseek',
  'moonshotai',
  'zai',
  'minimax',
  'cohere',
] as const;

/** Providers whose models must be named with them: `openrouter/openai/gpt-5`. */
export const resellers = [
  'openrouter',
  'aws',
  'azure',
  'groq',
  'cerebras',
  'fireworks',
  'together',
  'novita',
  'avian',
  'baseten',
  'perplexity',
  'ovhcloud',
  'github-copilot',
] as const;

/**
 * Dated ids that agents report and that the price data covers only by a pattern. Each is a published snapshot of the model
 * that it maps to; a test holds every entry equal to what the price data itself says.
 */
export const snapshotAliases: Readonly<Record<string, string>> = {
  'claude-3-5-haiku-20241022': 'anthropic/claude-3-5-haiku-latest',
  'claude-3-7-sonnet-20250219': 'anthropic/claude-3-7-sonnet-latest',
  'claude-sonnet-4-20250514': 'anthropic/claude-sonnet-4-0',
  'claude-opus-4-1-20250805': 'anthropic/claude-opus-4-1',
  'claude-sonnet-4-5-20250929': 'anthropic/claude-sonnet-4-5',
  'claude-haiku-4-5-20251001': 'anthropic/claude-haiku-4-5',
  'claude-opus-4-5-20251101': 'anthropic/claude-opus-4-5',
};

/** Models of one maker that step in for one another, weakest (and cheapest) first. `routing.ladders` comes before these. */
export const defaultLadders: readonly (readonly string[])[] = [
  ['claude-haiku-4-5', 'claude-sonnet-5', 'claude-opus-5-5'],
  ['gpt-6-luna', 'gpt-6-sol', 'gpt-6-astra'],
  ['gemini-3.5-flash-lite', 'gemini-3.8-flash', 'gemini-3.1-pro-preview'],
];
