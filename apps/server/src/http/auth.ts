import type { StorePart } from '@baton/task-store';
import type { RequestContext } from '../api/context.ts';
import { hashApiKey } from '../access/keys.ts';

/** Finds the keys of requests by their Authorization headers. */
export interface KeyLookup {
  /** Whether the header holds a key that was not valid when it was last looked up, or never looked up. */
  isUnknown(authorization: string | undefined): boolean;
  /** The key, or null. Keys are looked up by hash each time, so nothing is compared byte by byte and a revoked key is refused at once. */
  keyOf(authorization: string | undefined): Promise<RequestContext['key']>;
}

/** Makes a lookup that remembers which keys were valid: as many as there are. */
export function createKeyLookup(store: StorePart<{ keys: 'byHash' }>): KeyLookup {
  const valid = new Set<string>();
  return {
    isUnknown(authorization) {
      const hash = hashOf(authorization);
      return hash !== null && !valid.has(hash);
    },
    async keyOf(authorization) {
      const hash = hashOf(authorization);
      if (hash === null) return null;
      const key = await store.keys.byHash(hash);
      if (key === null) valid.delete(hash);
      else valid.add(hash);
      return key;
    },
  };
}

function hashOf(authorization: string | undefined): string | null {
  const [, token] = /^Bearer (\S{1,200})$/i.exec(authorization ?? '') ?? [];
  return token === undefined ? null : hashApiKey(token);
}

/** Hosts and origins that a request may name. */
export interface Allowed {
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

/** Names that only this machine has. */
const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];
const wildcards = new Set(['0.0.0.0', '::', '[::]']);

/** Whether an address to listen on is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return loopbackNames.includes(host) || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A host as written in a URL: IPv6 in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/**
 * What a server answers to: loopback names, the address it listens on and what the operator added. Keeps DNS rebinding out:
 * a page of a foreign site that made its name point here still names itself in Host and Origin.
 */
export function allowedNames(options: {
  host: string;
  port: number;
  hosts: readonly string[];
  origins: readonly string[];
}): Allowed {
  const names = wildcards.has(options.host) ? loopbackNames : [...loopbackNames, urlHost(options.host)];
  const own = names.map((name) => `${name}:${options.port}`);
  const added = options.hosts.map((host) => host.toLowerCase());
  // On port 80 clients leave the port out.
  const hosts = new Set([...own, ...(options.port === 80 ? names : []), ...added]);
  return { hosts, origins: new Set([...own.map((host) => `http://${host}`), ...options.origins]) };
}

/** Why a request is refused by its Host and Origin headers, or null. An allowed host without a port allows any port. */
export function refusedName(
  allowed: Allowed,
  headers: { host?: string | undefined; origin?: string | undefined },
): string | null {
  const host = headers.host?.toLowerCase() ?? '';
  if (!allowed.hosts.has(host) && !allowed.hosts.has(host.replace(/:\d+$/, ''))) {
    return `the Host "${host}" is not one of this server's`;
  }
  if (headers.origin !== undefined && !allowed.origins.has(headers.origin.toLowerCase())) {
    return `the Origin "${headers.origin}" is not allowed`;
  }
  return null;
}
