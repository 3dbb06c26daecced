import { BatonError } from '@baton/contracts';
import type { LanguageModel } from 'ai';

/** A provider that answers by the OpenAI-compatible interface. */
export interface Provider {
  name: string;
  baseUrl: string;
  /** Variable that holds its key; null: it needs none. */
  keyVariable: string | null;
}

/** Providers that need no `base_url`. Addresses as their manuals have them in November 2026. */
export const providers: readonly Provider[] = [
  { name: 'openai', baseUrl: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  { name: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', keyVariable: 'ANTHROPIC_API_KEY' },
  {
    name: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyVariable: 'GEMINI_API_KEY',
  },
  { name: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' },
  { name: 'mistral', baseUrl: 'https://api.mistral.ai/v1', keyVariable: 'MISTRAL_API_KEY' },
  { name: 'deepseek', baseUrl: 'https://api.deepseek.com/v1', keyVariable: 'DEEPSEEK_API_KEY' },
  { name: 'groq', baseUrl: 'https://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' },
  { name: 'xai', baseUrl: 'https://api.x.ai/v1', keyVariable: 'XAI_API_KEY' },
  { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', keyVariable: null },
];

/** Where a model is asked, and with which key. */
export interface ModelPlace {
  provider: string;
  /** Name that the provider knows it by. */
  model: string;
  baseUrl: string;
  /** Variable that holds the key; null: none is needed. */
  keyVariable: string | null;
}

/**
 * Where `provider/model` is asked. An address of one's own makes any provider name good, and needs a key only where its
 * variable is named.
 *
 * @throws CONFIG_INVALID
 */
export function modelPlace(
  reference: string,
  own: { baseUrl?: string | undefined; keyVariable?: string | undefined } = {},
): ModelPlace {
  const [, name = '', model = ''] = /^([^/]+)\/(.+)$/.exec(reference) ?? [];
  const known = providers.find((provider) => provider.name === name);
  const baseUrl = own.baseUrl ?? known?.baseUrl;
  if (model === '' || baseUrl === undefined) {
    throw new BatonError('CONFIG_INVALID', `"${reference}" names no model that can be asked.`, {
      fix: `Write provider/model with one of ${providers.map((one) => one.name).join(', ')}, or give base_url.`,
    });
  }
  const ofKnown = own.baseUrl === undefined ? (known?.keyVariable ?? null) : null;
  return { provider: name, model, baseUrl, keyVariable: own.keyVariable ?? ofKnown };
}

/** The model as the SDK takes it. */
export async function openModel(place: ModelPlace, apiKey: string | null): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: place.provider,
    baseURL: place.baseUrl,
    includeUsage: true,
    ...(apiKey === null ? {} : { apiKey }),
  });
  return provider.chatModel(place.model);
}
