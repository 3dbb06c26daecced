import { z } from 'zod';
import { printable } from './printable.ts';

const maxNameLength = 200;
const forbidden = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|^-/;

/**
 * Whether git takes a name for a branch (git-check-ref-format(1)) and it can neither be an option nor reach another ref
 * nor hide a part of itself.
 */
export function isBranchName(name: string): boolean {
  const parts = name.split('/');
  return !(
    name === '' ||
    name === '@' ||
    name === 'HEAD' ||
    name.startsWith('refs/') ||
    name.length > maxNameLength ||
    forbidden.test(name) ||
    printable(name) !== name ||
    parts.some((part) => part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'))
  );
}

/** A branch by its name; `refs/heads/` before it is dropped. */
export const branch = z
  .string()
  .transform((name) => name.replace(/^refs\/heads\//, ''))
  .refine(isBranchName, 'must be a plain branch name such as main or baton/tidy');

const transports = ['https', 'http', 'ssh', 'git', 'file'] as const;
const url = new RegExp(`^(?:${transports.join('|')})://[^-/\\s][^\\s]*$|^file:///[^\\s]*$`, 'i');
const overSsh = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9[][\w.:[\]-]*:(?!-)[^\s]+$/;

/**
 * Whether git reaches a repository at this place without starting anything that the place names: an absolute path, a
 * URL of one of git's own transports, or `user@host:path`. Helpers (`ext::…`) and options are none.
 */
export function isRepoLocation(location: string): boolean {
  if (printable(location) !== location || /[\n\t]/.test(location) || location.length > 4_096) return false;
  if (location.startsWith('/')) return !location.split('/').includes('..');
  if (location.includes('::') && !location.includes('[')) return false;
  return url.test(location) || overSsh.test(location);
}

/** Where a repository is, complete: for those who are not on its machine. */
export const repoLocation = z
  .string()
  .refine(
    isRepoLocation,
    `must be an absolute path, user@host:path, or a URL of ${transports.join(', ')}; options and transport helpers are refused`,
  );

/** The same in a file, where a path may be relative to it. */
export const repoPlace = z
  .string()
  .min(1)
  .max(1_000)
  .refine(
    (place) => isRepoLocation(place) || isRelativePath(place),
    `must be a path, user@host:path, or a URL of ${transports.join(', ')}; options and transport helpers are refused`,
  );

function isRelativePath(place: string): boolean {
  const isHidden = printable(place) !== place || /[\n\t]/.test(place);
  return !isHidden && !place.startsWith('-') && !place.startsWith('/') && !place.includes(':');
}
