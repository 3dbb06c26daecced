import { parseAllDocuments } from 'yaml';
import {
  entriesOf,
  field,
  plain,
  sourceOf,
  textOf,
  Unreadable,
  type Dependency,
  type FoundDependencies,
  type Source,
} from './dependency.ts';
import { licenceOf } from './licence.ts';

/** Specifiers of packages of the repository itself, or of its folders. */
const ofRepository = /^(?:workspace|link|portal|file|catalog):|^\.{0,2}\//;
const registryTarball = /^https?:\/\/[^/]+\/.+\/-\/[^/]+\.tgz(?:[#?].*)?$/;

/** `package.json`: what is asked for, in ranges. */
export function readPackageJson(text: string): FoundDependencies {
  const manifest = parsed(text);
  const sections = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  const all = sections.flatMap((section) => entriesOf(field(manifest, section)));
  const dependencies = all.flatMap(([name, range]) => asked(name, textOf(range) ?? ''));
  return { dependencies, direct: dependencies.map(({ alias, name }) => alias ?? name) };
}

function asked(name: string, range: string): Dependency[] {
  if (ofRepository.test(range) && !/^catalog:/.test(range)) return [];
  const aliased = /^npm:(@?[^@]+)(?:@(.*))?$/.exec(range);
  if (aliased) return [plain('npm', aliased[1] ?? name, { alias: name, version: aliased[2] ?? '' })];
  const isAddress = /^[a-z+]+:|^[^@/\s]+\/[^/\s]+$/i.test(range) && !/^catalog:/.test(range);
  if (!isAddress) return [plain('npm', name, { version: range })];
  const source: Source = /^[a-z+]+:/i.test(range) ? sourceOf(range) : { kind: 'git', url: `github:${range}` };
  return [plain('npm', name, { version: range, source })];
}

/** `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3. */
export function readPackageLock(text: string): FoundDependencies {
  const lock = parsed(text);
  const packages = field(lock, 'packages');
  if (packages !== undefined) return { dependencies: entriesOf(packages).flatMap(ofPackages), direct: [] };
  if (field(lock, 'lockfileVersion') === undefined) throw new Unreadable('it has no lockfileVersion');
  return { dependencies: ofTree(field(lock, 'dependencies')), direct: [] };
}

/** Entries outside of `node_modules`, and links, are packages of the repository. */
function ofPackages([place, entry]: [string, unknown]): Dependency[] {
  const at = place.lastIndexOf('node_modules/');
  if (at < 0 || field(entry, 'link') === true) return [];
  const installed = place.slice(at + 'node_modules/'.length);
  return locked(installed, textOf(field(entry, 'name')) ?? installed, entry);
}

/** Version 1 nests what each package has for itself. */
function ofTree(dependencies: unknown): Dependency[] {
  return entriesOf(dependencies).flatMap(([installed, entry]) => {
    const version = textOf(field(entry, 'version')) ?? '';
    const aliased = /^npm:(@?[^@]+)@(.*)$/.exec(version);
    const own = aliased
      ? locked(installed, aliased[1] ?? installed, { ...Object(entry), version: aliased[2] })
      : locked(installed, installed, entry);
    return [...own, ...ofTree(field(entry, 'dependencies'))];
  });
}

function locked(installed: string, name: string, entry: unknown): Dependency[] {
  const version = textOf(field(entry, 'version')) ?? '';
  const resolved =
    textOf(field(entry, 'resolved')) ?? (/^[a-z+]+:\/\/|^(?:git|github):/i.test(version) ? version : null);
  if (resolved !== null && ofRepository.test(resolved)) return [];
  if (ofRepository.test(version)) return [];
  // What is part of another package's archive has neither address nor hash of its own.
  const isBundled = field(entry, 'inBundle') === true || field(entry, 'bundled') === true;
  return [
    plain('npm', name, {
      alias: installed === name ? null : installed,
      version,
      source: resolvedSource(resolved),
      integrity: isBundled ? null : textOf(field(entry, 'integrity')) !== null,
      licence: licenceOf(field(entry, 'license') ?? field(entry, 'licenses')),
    }),
  ];
}

function resolvedSource(resolved: string | null): Source {
  if (resolved === null) return { kind: 'unknown', url: null };
  return registryTarball.test(resolved) ? { kind: 'registry', url: resolved } : sourceOf(resolved);
}

/** `pnpm-lock.yaml` of versions 5 to 9. */
export function readPnpmLock(text: string): FoundDependencies {
  const documents = documentsOf(text).filter((document) => field(document, 'lockfileVersion') !== undefined);
  if (documents.length === 0) throw new Unreadable('it has no lockfileVersion');
  const packages = documents.flatMap((document) => entriesOf(field(document, 'packages')));
  return { dependencies: packages.flatMap(([key, entry]) => ofPnpm(key, entry)), direct: [] };
}

function ofPnpm(key: string, entry: unknown): Dependency[] {
  const resolution = field(entry, 'resolution');
  if (field(resolution, 'type') === 'directory') return [];
  const bare = key.replace(/^\//, '').replace(/\(.*$/s, '');
  const [, keyName = bare, keyVersion = ''] = /^((?:@[^/@]+\/)?[^/@]+)[@/](.*)$/s.exec(bare) ?? [];
  const name = textOf(field(entry, 'name')) ?? keyName;
  const version = textOf(field(entry, 'version')) ?? keyVersion.replace(/_.*$/s, '');
  const tarball = textOf(field(resolution, 'tarball'));
  const repository = textOf(field(resolution, 'repo'));
  const isAddress = /^(?:https?|git|ssh)[:+]/.test(keyVersion);
  if (tarball?.startsWith('file:') === true || keyVersion.startsWith('file:')) return [];
  const source: Source =
    repository !== null
      ? { kind: 'git', url: repository }
      : tarball !== null
        ? resolvedSource(tarball)
        : isAddress
          ? sourceOf(keyVersion)
          : { kind: 'registry', url: null };
  const integrity = repository === null ? textOf(field(resolution, 'integrity')) !== null : null;
  return [plain('npm', name, { version, source, integrity })];
}

/** `yarn.lock`, of version 1 and of later ones, which are YAML. */
export function readYarnLock(text: string): FoundDependencies {
  const dependencies = /^__metadata:/m.test(text) ? ofYarnYaml(text) : ofYarnText(text);
  return { dependencies, direct: [] };
}

function ofYarnYaml(text: string): Dependency[] {
  return documentsOf(text).flatMap((document) =>
    entriesOf(document).flatMap(([key, entry]): Dependency[] => {
      const resolution = /^(@?[^@]+)@(.*)$/s.exec(textOf(field(entry, 'resolution')) ?? '');
      if (key === '__metadata' || resolution === null) return [];
      const [, name = '', from = ''] = resolution;
      if (/^(?:workspace|link|portal|file):/.test(from)) return [];
      const alias = /^(@?[^@]+)@npm:@?[^@]+@/.exec(key)?.[1] ?? name;
      const patched = /^patch:(?:@?[^@]+)@(.*?)(?:#.*)?$/s.exec(from)?.[1];
      const place = patched === undefined ? from : decodeURIComponent(patched);
      const archive = /::__archiveUrl=([^&]+)/.exec(place)?.[1];
      const source: Source =
        archive !== undefined
          ? resolvedSource(decodeURIComponent(archive))
          : place.startsWith('npm:')
            ? { kind: 'registry', url: null }
            : sourceOf(place);
      return [
        plain('npm', name, {
          alias: alias === name ? null : alias,
          version: String(field(entry, 'version') ?? ''),
          source,
          integrity: source.kind === 'git' ? null : textOf(String(field(entry, 'checksum') ?? '')) !== '',
        }),
      ];
    }),
  );
}

/** Version 1: blocks of a heading at the margin and indented lines, each a name and a value. */
function ofYarnText(text: string): Dependency[] {
  if (!/^# yarn lockfile v1\s*$/m.test(text)) throw new Unreadable('it is no yarn lock file');
  const found: Dependency[] = [];
  for (const block of text.replaceAll('\r\n', '\n').split(/\n(?=[^\s#])/)) {
    const [, heading] = /^("?[^\s#][^\n]*):\n/.exec(block) ?? [];
    if (heading === undefined) continue;
    const [, first = ''] = /^"?([^",]+)/.exec(heading) ?? [];
    const [, installed = first, range = ''] = /^(@?[^@]+)@(.*)$/s.exec(first) ?? [];
    const [, name = installed] = /^npm:(@?[^@]+)/.exec(range) ?? [];
    const value = (key: string) => new RegExp(`^  ${key} "?([^"\\n]+)"?$`, 'm').exec(block)?.[1] ?? null;
    const resolved = value('resolved');
    if (resolved === null && ofRepository.test(range)) continue;
    if (resolved !== null && ofRepository.test(resolved)) continue;
    const source = resolvedSource(resolved);
    found.push(
      plain('npm', name, {
        alias: installed === name ? null : installed,
        version: value('version') ?? '',
        source,
        // Old entries have the hash at the end of the address.
        integrity:
          source.kind === 'git' ? null : value('integrity') !== null || /#[0-9a-f]{40}$/.test(resolved ?? ''),
      }),
    );
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // said below
  }
  throw new Unreadable('it is no JSON object');
}

function documentsOf(text: string): unknown[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) throw new Unreadable('it is empty');
  const [wrong] = documents.flatMap((document) => document.errors);
  if (wrong !== undefined) throw new Unreadable(`it is no YAML: ${wrong.message.split('\n', 1)[0] ?? ''}`);
  return documents.map((document): unknown => document.toJS());
}
