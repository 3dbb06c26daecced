import {
  entriesOf,
  field,
  listOf,
  plain,
  textOf,
  type Dependency,
  type FoundDependencies,
  type Source,
} from './dependency.ts';
import { tomlOf } from './toml.ts';

/** `Cargo.lock`: a package without a source is one of the repository. */
export function readCargoLock(text: string): FoundDependencies {
  const root = tomlOf(text);
  const apart = field(root, 'metadata');
  const dependencies = listOf(field(root, 'package')).flatMap((entry): Dependency[] => {
    const name = textOf(field(entry, 'name'));
    const from = textOf(field(entry, 'source'));
    if (name === null || from === null) return [];
    const version = textOf(field(entry, 'version')) ?? '';
    const [, kind = '', url = from] = /^(registry|sparse|git)\+(.*)$/s.exec(from) ?? [];
    const sum = field(entry, 'checksum') ?? field(apart, `checksum ${name} ${version} (${from})`);
    const isGit = kind === 'git';
    return [
      plain('crates.io', name, {
        version,
        source: { kind: isGit ? 'git' : 'registry', url },
        integrity: isGit ? null : textOf(sum) !== null,
      }),
    ];
  });
  return { dependencies, direct: [] };
}

/** `Cargo.toml`: what is asked for, in ranges, also for single targets and for the workspace. */
export function readCargoToml(text: string): FoundDependencies {
  const root = tomlOf(text);
  const kinds = ['dependencies', 'dev-dependencies', 'build-dependencies'];
  const places = [
    root,
    field(root, 'workspace'),
    ...entriesOf(field(root, 'target')).map(([, target]) => target),
  ];
  const asked = places.flatMap((place) => kinds.flatMap((kind) => entriesOf(field(place, kind))));
  const dependencies = asked.flatMap(([key, entry]): Dependency[] => {
    if (field(entry, 'path') !== undefined || field(entry, 'workspace') === true) return [];
    const name = textOf(field(entry, 'package')) ?? key;
    const repository = textOf(field(entry, 'git'));
    const source: Source =
      repository === null ? { kind: 'registry', url: null } : { kind: 'git', url: repository };
    const version = textOf(entry) ?? textOf(field(entry, 'version')) ?? '';
    return [plain('crates.io', name, { alias: name === key ? null : key, version, source })];
  });
  return { dependencies, direct: dependencies.map(({ name }) => name) };
}

/** `go.mod`, with the `go.sum` beside it, which keeps the hashes; null: there is none. */
export function readGoMod(text: string, sums: string | null): FoundDependencies {
  const known = new Set((sums ?? '').split(/\r?\n/).map((line) => line.split(' ', 2).join(' ')));
  const lines = blockLines(text);
  const replaced = new Map(
    lines
      .filter(({ verb }) => verb === 'replace')
      .flatMap(({ rest }) => {
        const [from = '', to = ''] = rest.split(/\s*=>\s*/);
        return [[from.split(/\s+/)[0] ?? '', to.trim().split(/\s+/)] as const];
      }),
  );
  const required = lines.filter(({ verb }) => verb === 'require');
  const dependencies = required.flatMap(({ rest }): Dependency[] => {
    const [name = '', version = ''] = rest.split(/\s+/);
    const [other, otherVersion] = replaced.get(name) ?? [];
    if (other !== undefined && /^\.{0,2}\//.test(other)) return [];
    const taken = other ?? name;
    const at = otherVersion ?? version;
    const source: Source =
      other === undefined || other === name ? { kind: 'registry', url: null } : { kind: 'url', url: other };
    const integrity = known.has(`${taken} ${at}`);
    return [plain('Go', taken, { alias: taken === name ? null : name, version: at, source, integrity })];
  });
  return { dependencies, direct: dependencies.map(({ name }) => name) };
}

/** The lines of a `go.mod`, those of a block each with its word. */
function blockLines(text: string): { verb: string; rest: string }[] {
  let block: string | null = null;
  return text.split(/\r?\n/).flatMap((raw) => {
    const line = raw.replace(/\/\/.*$/, '').trim();
    if (line === '') return [];
    if (block !== null) {
      if (line !== ')') return [{ verb: block, rest: line }];
      block = null;
      return [];
    }
    const [, verb = '', rest = ''] = /^(\w+)\s*(.*)$/.exec(line) ?? [];
    if (rest !== '(') return [{ verb, rest }];
    block = verb;
    return [];
  });
}
