import path from 'node:path';
import { BatonError, type AgentDefinition } from '@baton/contracts';
import { keyVariablesOf, knownAgentOf } from './registry.ts';

/** Variables that every agent gets from the operator's environment: none of them is a secret. */
const usual = [
  'PATH',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'TMPDIR',
  'SHELL',
  'USER',
  'LOGNAME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
];
/** What belongs to the user's own home: with it an agent finds the user's login, and the user's settings. */
const ofHome = [
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
];

/** From what an agent's environment is made. */
export interface AgentEnvironmentOptions {
  /** The operator's environment. */
  base: Readonly<Record<string, string | undefined>>;
  /** Names of further variables that are passed on when set, e.g. an agent's key variables. */
  allow?: readonly string[];
  /** The agent it is for: its own `env`, and for a program that Baton knows its key variables and settings. */
  definition?: AgentDefinition;
  /** Further variables, e.g. a definition's `env`; `${NAME}` takes NAME from `base`. */
  extra?: Readonly<Record<string, string>>;
  /** Own config home (absolute); null, and when left out: the user's home and so the user's login. */
  home?: string | null;
}

/**
 * Makes the complete environment of an agent: only what is named gets through.
 *
 * @throws CONFIG_INVALID when `extra` refers to a variable that is not set. Source: docs/spec/agents.md#environment.
 */
export function agentEnvironment(options: AgentEnvironmentOptions): Record<string, string> {
  const { base, definition, home = null } = options;
  const known = definition === undefined ? null : knownAgentOf(definition);
  const allow = [...(options.allow ?? []), ...keyVariablesOf(definition, base)];
  const extra = { ...known?.env, ...definition?.env, ...options.extra };
  const isLocale = (name: string) => name.startsWith('LC_');
  const names = [...usual, ...allow, ...(home === null ? ofHome : []), ...Object.keys(base).filter(isLocale)];
  const passed = Object.fromEntries(
    names.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]])),
  );
  const interpolated = Object.entries(extra).map(([name, value]) => [
    name,
    interpolate(value, { name, base }),
  ]);
  return {
    ...known?.defaults,
    ...passed,
    ...(home === null ? {} : ownHome(home)),
    // A git command of the agent that asks someone would wait until the time is up.
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    ...(Object.fromEntries(interpolated) as Record<string, string>),
  };
}

function ownHome(home: string): Record<string, string> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local', 'share'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
    XDG_STATE_HOME: path.join(home, '.local', 'state'),
  };
}

function interpolate(
  value: string,
  { name, base }: { name: string; base: AgentEnvironmentOptions['base'] },
): string {
  return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, wanted: string) => {
    const found = base[wanted];
    if (found !== undefined) return found;
    throw new BatonError(
      'CONFIG_INVALID',
      `The variable ${name} of an agent takes its value from ${wanted}, which is not set.`,
      {
        fix: `Set it (export ${wanted}=…) or take "\${${wanted}}" out of the agent's env.`,
        at: `env.${name}`,
      },
    );
  });
}
