/** Where an agent's answer reports the tokens of a prompt; see `usageMeter`. */
export type UsageSource =
  /** `result.usage`: this prompt's, input without cached. */
  | 'prompt'
  /** `result.usage`: since the process began, input with cached. */
  | 'process_total'
  /** `result._meta.quota.token_count`: this prompt's, input with cached. */
  | 'quota'
  /** `_meta.usage` of empty message chunks: one model call each, input with cached. */
  | 'chunks'
  /** Nothing but the last model call's tokens; only the cumulative cost is right. */
  | 'cost_only';

/** What is known of an agent that speaks the Agent Client Protocol. Facts seen in November 2026 at the version noted. */
export interface AcpAgent {
  /** Name in plans and on the command line. */
  name: string;
  /** Its launch line. */
  argv: readonly [string, ...string[]];
  /** Version of that program that Baton was tried with. */
  tested: string;
  /** How people install it. */
  install: string;
  /** The program that people type, where it is another than the one that Baton starts. */
  cli?: string;
  /** Other names that people use for it. */
  aliases: readonly string[];
  /** How it calls itself in the protocol. */
  says: RegExp;
  /** Variables that hold its keys: one of them set counts as logged in. */
  keys: readonly string[];
  /** Files below the home whose presence means a login, by the program's own sign-in. */
  logins: readonly string[];
  /** Set when one without keys, logins, settings and clouds is certainly not logged in, but on macOS with its key chain. */
  showsLogin?: true;
  /** Files below the home that may hold a key or name a program that gives one. */
  settings?: readonly string[];
  /** The variable that names another place for one of its folders below the home. */
  moved?: { variable: string; folder: string };
  /** Cloud providers that hold the login where a variable says so, and what of the operator's they need. */
  clouds?: readonly { when: string; variables: readonly string[] }[];
  /** Further variables of the operator's that it may have. */
  variables: readonly string[];
  /** Set for it always: no updates, telemetry or second process behind our back. */
  env: Readonly<Record<string, string>>;
  /** Set for it where the operator sets nothing else. */
  defaults?: Readonly<Record<string, string>>;
  usage: UsageSource;
  /** Set when none of its messages reports what it spent. */
  silent?: true;
  /** Set when it reports its cost in US dollars by itself. */
  tellsCost?: true;
  /** Set when it takes any model, not only those that it lists. */
  takesAnyModel?: true;
}

const aws: readonly string[] = [
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_PROFILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'ANTHROPIC_BEDROCK_BASE_URL',
];
const google: readonly string[] = [
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
];
const vertex = [...google, 'ANTHROPIC_VERTEX_PROJECT_ID', 'CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_BASE_URL'];

/** In order of preference where a goal names no agent. */
export const acpAgents: readonly AcpAgent[] = [
  {
    name: 'claude-code',
    argv: ['claude-agent-acp'],
    tested: '0.100.0',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    cli: 'claude',
    aliases: ['claude', 'claudecode', 'claude-agent-acp', 'claude-code-acp'],
    says: /claude-agent-acp/,
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    logins: ['.claude/.credentials.json'],
    showsLogin: true,
    settings: ['.claude/settings.json', '.claude.json'],
    moved: { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude/' },
    clouds: [
      { when: 'CLAUDE_CODE_USE_BEDROCK', variables: aws },
      { when: 'CLAUDE_CODE_USE_VERTEX', variables: vertex },
    ],
    variables: [
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_MAX_RETRIES',
      'IS_SANDBOX',
    ],
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    },
    // Its own ten retries last minutes, in silence; Baton waits for a provider with the reason on screen.
    defaults: { CLAUDE_CODE_MAX_RETRIES: '3' },
    usage: 'prompt',
    tellsCost: true,
  },
  {
    name: 'codex',
    argv: ['codex-acp'],
    tested: '2.6.0',
    install: 'npm install -g @agentclientprotocol/codex-acp',
    cli: 'codex',
    aliases: ['codex-acp', 'codex-cli', 'openai-codex'],
    says: /codex-acp/,
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    logins: ['.codex/auth.json'],
    showsLogin: true,
    settings: ['.codex/config.toml'],
    moved: { variable: 'CODEX_HOME', folder: '.codex/' },
    variables: ['CODEX_HOME', 'CODEX_PATH', 'CODEX_CONFIG', 'OPENAI_BASE_URL'],
    // Its own sandbox keeps the git folder of a worktree read-only; isolation is Baton's job.
    env: { NO_BROWSER: '1', INITIAL_AGENT_MODE: 'agent-full-access' },
    usage: 'prompt',
  },
  {
    name: 'gemini',
    argv: ['gemini', '--acp', '--skip-trust', '--approval-mode', 'yolo'],
    tested: '0.61.0',
    install: 'npm install -g @google/gemini-cli',
    aliases: ['gemini-cli'],
    says: /^gemini-cli/,
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    logins: ['.gemini/oauth_creds.json'],
    showsLogin: true,
    settings: ['.gemini/.env', '.env', '.gemini/settings.json'],
    moved: { variable: 'GEMINI_CLI_HOME', folder: '' },
    clouds: [{ when: 'GOOGLE_GENAI_USE_VERTEXAI', variables: google }],
    variables: [
      'GEMINI_CLI_HOME',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_GENAI_USE_VERTEXAI',
      'GEMINI_MODEL',
    ],
    // Without it the process that we signal is only the parent of the real one.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    usage: 'quota',
    takesAnyModel: true,
  },
  {
    name: 'opencode',
    argv: ['opencode', 'acp'],
    tested: '1.18.33',
    install: 'npm install -g opencode-ai',
    aliases: ['open-code', 'opencode-ai'],
    says: /^opencode$/i,
    keys: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'],
    logins: ['.local/share/opencode/auth.json'],
    variables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_CONTENT'],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    usage: 'cost_only',
    tellsCost: true,
  },
  {
    name: 'qwen',
    argv: ['qwen', '--acp', '--approval-mode', 'yolo'],
    tested: '0.24.4',
    install: 'npm install -g @qwen-code/qwen-code',
    aliases: ['qwen-code'],
    says: /^qwen/,
    keys: ['DASHSCOPE_API_KEY', 'OPENAI_API_KEY'],
    logins: ['.qwen/oauth_creds.json'],
    variables: ['OPENAI_BASE_URL', 'OPENAI_MODEL'],
    env: { QWEN_CODE_NO_RELAUNCH: 'true' },
    usage: 'chunks',
  },
  {
    name: 'copilot',
    tested: '1.0.102',
    argv: [
      'copilot',
      '--acp',
      '--allow-all-tools',
      '--allow-all-paths',
      '--disable-client-telemetry',
      '--no-auto-update',
      '--disable-builtin-mcps',
    ],
    install: 'npm install -g @github/copilot',
    aliases: ['copilot-cli', 'github-copilot'],
    says: /^copilot$/i,
    keys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    logins: ['.copilot/config.json'],
    variables: [
      'COPILOT_HOME',
      'COPILOT_MODEL',
      'COPILOT_OFFLINE',
      'COPILOT_PROVIDER_BASE_URL',
      'COPILOT_PROVIDER_TYPE',
    ],
    env: {},
    usage: 'process_total',
    takesAnyModel: true,
  },
  {
    name: 'cline',
    argv: ['cline', '--acp', '--auto-approve', 'true'],
    tested: '3.0.65',
    install: 'npm install -g cline',
    aliases: [],
    says: /^cline$/,
    keys: ['CLINE_API_KEY'],
    logins: [],
    variables: ['CLINE_DIR', 'CLINE_PROVIDER', 'CLINE_MODEL'],
    env: {},
    usage: 'prompt',
    takesAnyModel: true,
    silent: true,
  },
  {
    name: 'kimi',
    argv: ['kimi', 'acp'],
    tested: '2.1.0',
    install: 'npm install -g @moonshot-ai/kimi-code',
    aliases: ['kimi-code', 'kimi-cli'],
    says: /^kimi/i,
    keys: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
    logins: ['.kimi-code/config.toml'],
    variables: ['KIMI_CODE_HOME'],
    env: {},
    usage: 'prompt',
    silent: true,
  },
  {
    name: 'pi',
    argv: ['pi-acp'],
    tested: '0.0.34',
    install: 'npm install -g pi-acp @earendil-works/pi-coding-agent',
    cli: 'pi',
    aliases: ['pi-acp', 'pi-coding-agent'],
    says: /^pi-acp/,
    keys: [],
    logins: ['.pi/agent/auth.json', '.pi/agent/models.json'],
    variables: ['PI_CODING_AGENT_DIR', 'PI_OFFLINE'],
    env: {},
    usage: 'prompt',
    silent: true,
  },
];

/** Names of agents that tell what they cost in US dollars. */
export const costTellers: readonly string[] = acpAgents
  .filter(({ tellsCost }) => tellsCost === true)
  .map(({ name }) => name);

/** Names of agents that do not tell what they spend. */
export const silentAgents: readonly string[] = acpAgents
  .filter(({ silent }) => silent === true)
  .map(({ name }) => name);
