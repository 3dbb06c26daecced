import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** An agent that people have, and how it is led to a model of ours. */
export interface RealAgent {
  /** Its name in Baton. */
  name: string;
  program: string;
  /** How it is installed. */
  install: string;
  /** Names of its models that have a price, short ones and ids. */
  models: readonly string[];
  /** Short names of which only the agent knows what they stand for. */
  unpriced?: readonly string[];
  /** Writes its settings below an empty folder, and gives the variables that it is started with. */
  setUp(at: { home: string; url: string; key: string }): Promise<Record<string, string>>;
}

const put = async (file: string, text: string) => {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
};

/** The agents of the README, in its order. */
export const realAgents: readonly RealAgent[] = [
  {
    name: 'claude-code',
    program: 'claude-agent-acp',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    models: ['sonnet', 'claude-sonnet-5'],
    setUp: ({ home, url, key }) =>
      Promise.resolve({
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: key,
        CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
        CLAUDE_CODE_MAX_RETRIES: '2',
        IS_SANDBOX: '1',
      }),
  },
  {
    name: 'codex',
    program: 'codex-acp',
    install: 'npm install -g @agentclientprotocol/codex-acp',
    models: ['gpt-5.5'],
    async setUp({ home, url, key }) {
      const folder = path.join(home, '.codex');
      const config = `model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
`;
      await put(path.join(folder, 'config.toml'), config);
      return { CODEX_HOME: folder, OPENAI_API_KEY: key };
    },
  },
  {
    name: 'gemini',
    program: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    models: ['gemini-2.5-flash'],
    unpriced: ['flash'],
    async setUp({ home, url, key }) {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
        telemetry: { enabled: false },
      };
      await put(path.join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return { GEMINI_CLI_HOME: home, GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url };
    },
  },
  {
    name: 'opencode',
    program: 'opencode',
    install: 'npm install -g opencode-ai',
    models: ['fake/fake-model'],
    setUp({ url, key }) {
      const model = {
        name: 'Fake',
        tool_call: true,
        cost: { input: 3, output: 15, cache_read: 0.3 },
        limit: { context: 200_000, output: 8_192 },
      };
      const provider = {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: { 'fake-model': model },
      };
      const config = {
        ...{ autoupdate: false, share: 'disabled', model: 'fake/fake-model', enabled_providers: ['fake'] },
        provider: { fake: provider },
      };
      return Promise.resolve({
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_API_KEY: key,
      });
    },
  },
];
