import {
  entriesOf,
  field,
  listOf,
  plain,
  sourceOf,
  textOf,
  type Dependency,
  type FoundDependencies,
  type Source,
} from './dependency.ts';
import { tomlOf } from './toml.ts';

/** Names are compared as the package index does it. */
export function pythonName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

const requirement = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/s;
const indexOption = /^(?:-i|--index-url|--extra-index-url|-f|--find-links)[\s=]+(\S+)/;

/** A requirements file of pip, with hashes or without. */
export function readRequirements(text: string): FoundDependencies {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
  const hashed = lines.some((line) => line.includes('--hash='));
  // Any index of the file may be asked for any of its packages.
  const index = lines.flatMap((line) => indexOption.exec(line)?.[1] ?? []).at(-1) ?? null;
  const dependencies = lines.flatMap((line) => ofRequirement(line, { hashed, index }));
  return { dependencies, direct: dependencies.map(({ name }) => name) };
}

function ofRequirement(
  line: string,
  { hashed, index }: { hashed: boolean; index: string | null },
): Dependency[] {
  const integrity = hashed ? line.includes('--hash=') : null;
  const bare = line.replace(/^(?:-e|--editable)[\s=]+/, '');
  const [, egg] = /#egg=([A-Za-z0-9._-]+)/.exec(bare) ?? [];
  if (/^(?:git|hg|svn|bzr)\+|^https?:\/\//.test(bare)) {
    const [address = bare] = bare.split(/\s/, 1);
    return [plain('PyPI', pythonName(egg ?? address), { source: sourceOf(address), integrity })];
  }
  if (line.startsWith('-') || /^\.{0,2}\//.test(bare) || /^file:/.test(bare)) return [];
  const [, name, rest = ''] = requirement.exec(bare) ?? [];
  if (name === undefined) return [];
  return [ofName(name, rest, { integrity, index })];
}

/** `name`, and what follows it: `==1.0`, `>=1; python_version < "4"` or `@ https://…`. */
function ofName(
  name: string,
  rest: string,
  { integrity, index }: { integrity: boolean | null; index: string | null },
): Dependency {
  const address = /^@\s*(\S+)/.exec(rest)?.[1];
  const version = rest.replace(/\s*(?:;|--hash=|@).*$/s, '').trim();
  return plain('PyPI', pythonName(name), {
    version: version.replace(/^===?\s*/, ''),
    integrity,
    source: address === undefined ? { kind: 'registry', url: index } : sourceOf(address),
  });
}

/** `pyproject.toml`: what is asked for, in ranges. */
export function readPyproject(text: string): FoundDependencies {
  const root = tomlOf(text);
  const project = field(root, 'project');
  const lists = [
    field(project, 'dependencies'),
    ...entriesOf(field(project, 'optional-dependencies')).map(([, list]) => list),
    ...entriesOf(field(root, 'dependency-groups')).map(([, list]) => list),
    field(field(root, 'build-system'), 'requires'),
  ];
  const listed = lists.flatMap(listOf).flatMap((line) => {
    const [, name, rest = ''] = requirement.exec(textOf(line) ?? '') ?? [];
    return name === undefined ? [] : [ofName(name, rest, { integrity: null, index: null })];
  });
  const poetry = field(field(root, 'tool'), 'poetry');
  const tables = [
    field(poetry, 'dependencies'),
    field(poetry, 'dev-dependencies'),
    ...entriesOf(field(poetry, 'group')).map(([, group]) => field(group, 'dependencies')),
  ];
  const named = tables.flatMap(entriesOf).filter(([name]) => name !== 'python');
  const ofTables = named.flatMap(([name, asked]) => ofPoetryTable(name, asked));
  const dependencies = [...listed, ...ofTables];
  return { dependencies, direct: dependencies.map((one) => one.name) };
}

function ofPoetryTable(name: string, asked: unknown): Dependency[] {
  if (field(asked, 'path') !== undefined) return [];
  const version = textOf(asked) ?? textOf(field(asked, 'version')) ?? '';
  const address = textOf(field(asked, 'git')) ?? textOf(field(asked, 'url'));
  const kind = field(asked, 'git') === undefined ? 'url' : 'git';
  const source: Source = address === null ? { kind: 'registry', url: null } : { kind, url: address };
  return [plain('PyPI', pythonName(name), { version, source })];
}

/** `poetry.lock`: hashes with each package, in old files in a table of their own. */
export function readPoetryLock(text: string): FoundDependencies {
  const root = tomlOf(text);
  const apart = field(field(root, 'metadata'), 'files');
  const dependencies = listOf(field(root, 'package')).flatMap((entry): Dependency[] => {
    const name = textOf(field(entry, 'name'));
    const given = field(entry, 'source');
    const type = textOf(field(given, 'type'));
    if (name === null || type === 'directory' || type === 'file') return [];
    const url = textOf(field(given, 'url'));
    const kind = type === 'git' || type === 'url' ? type : 'registry';
    const files = [...listOf(field(entry, 'files')), ...listOf(field(apart, name))];
    const isHashed = files.some((file) => textOf(field(file, 'hash')) !== null);
    return [
      plain('PyPI', pythonName(name), {
        version: textOf(field(entry, 'version')) ?? '',
        source: { kind, url },
        integrity: kind === 'git' ? null : isHashed,
      }),
    ];
  });
  return { dependencies, direct: [] };
}

/** `uv.lock`. */
export function readUvLock(text: string): FoundDependencies {
  const dependencies = listOf(field(tomlOf(text), 'package')).flatMap((entry): Dependency[] => {
    const name = textOf(field(entry, 'name'));
    const given = field(entry, 'source');
    const [kind, url] = entriesOf(given).find(([key]) => key !== 'subdirectory') ?? ['registry', null];
    if (name === null || ['editable', 'virtual', 'directory', 'path'].includes(kind)) return [];
    const files = [field(entry, 'sdist'), ...listOf(field(entry, 'wheels'))];
    const isHashed = files.some((file) => textOf(field(file, 'hash')) !== null);
    return [
      plain('PyPI', pythonName(name), {
        version: textOf(field(entry, 'version')) ?? '',
        source: { kind: kind === 'git' || kind === 'url' ? kind : 'registry', url: textOf(url) },
        integrity: kind === 'git' ? null : isHashed,
      }),
    ];
  });
  return { dependencies, direct: [] };
}
