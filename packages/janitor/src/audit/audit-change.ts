import type { DependencyRules } from '@baton/contracts';
import type { ChangedPath, ChangeRange } from '../tamper/read-change.ts';
import { fields, gitText } from '../run-git.ts';
import { Unreadable, type Dependency, type FoundDependencies } from './dependency.ts';
import { judgeAdditions, type Addition, type AuditedChange } from './judge-additions.ts';
import { knownFile } from './known-files.ts';

/** Bigger files are not parsed: the parser of YAML needs seconds for some megabytes. */
const largestMegabytes = (path: string): number => (/\.yaml$|yarn\.lock$/.test(path) ? 4 : 10);
const mostFiles = 500;

/** What a change adds to manifests and lock files. */
export interface DependencyAudit {
  additions: Addition[];
  /** Files that the change touches and that cannot be read, each with why. */
  unread: { path: string; why: string }[];
}

/** How a change is audited. */
export interface AuditOptions extends ChangeRange {
  changes: readonly ChangedPath[];
  rules: DependencyRules;
  /** Answers licences of packages that no file names one of, by `name@version`; asked only where licences count. */
  licencesOf?: (packages: readonly Dependency[]) => Promise<ReadonlyMap<string, string>>;
}

interface FileAt {
  path: string;
  id: string;
  bytes: number;
}

/**
 * Lists what a change adds to manifests and lock files, each package at a version or from a place that no such file of the target
 * names, with what speaks against it. Null: the change touches none of these files. Nothing is asked of a network; packages of the
 * repository itself are no additions. A manifest counts where no lock file of its kind names the package.
 * @throws GIT_FAILED
 */
export async function auditDependencies(options: AuditOptions): Promise<DependencyAudit | null> {
  const { changes, rules, from, to } = options;
  const touched = new Set(
    changes
      .filter(({ path, status }) => status !== 'deleted' && knownFile(path) !== null)
      .map(({ path }) => path),
  );
  if (touched.size === 0) return null;
  const [old, now] = [await filesOf(options, from), await filesOf(options, to)];
  const before = await readAll(options, old);
  const after = await readAll(options, now, { known: before });
  const change = additionsOf(before, after);
  const added = await withLicences(options, change);
  const unread = [...after].flatMap(([path, { why }]) =>
    why !== null && touched.has(path) ? [{ path, why }] : [],
  );
  return { additions: judgeAdditions({ ...change, added }, rules), unread };
}

/** What one file said, or why it could not be read. */
interface ReadFile extends FoundDependencies {
  id: string;
  why: string | null;
}

/** The files that name packages at a commit. */
async function filesOf({ git, clone }: ChangeRange, commit: string): Promise<FileAt[]> {
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', commit];
  return fields(await gitText(git, args, { cwd: clone })).flatMap((entry) => {
    const tab = entry.indexOf('\t'); // a path may hold one, too
    const [head, path] = [entry.slice(0, tab), entry.slice(tab + 1)];
    const [, type, id = '', bytes] = head.split(/\s+/);
    return type === 'blob' && (knownFile(path) !== null || path.endsWith('go.sum'))
      ? [{ path, id, bytes: Number(bytes) }]
      : [];
  });
}

async function readAll(
  range: ChangeRange,
  files: readonly FileAt[],
  { known }: { known?: ReadonlyMap<string, ReadFile> } = {},
): Promise<Map<string, ReadFile>> {
  const found = new Map<string, ReadFile>();
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const file of files) {
    const kind = knownFile(file.path);
    if (kind === null) continue;
    const beside = kind.beside === undefined ? undefined : byPath.get(siblingOf(file.path, kind.beside));
    const id = `${file.id} ${beside?.id ?? ''}`;
    const same = known?.get(file.path);
    found.set(
      file.path,
      same?.id === id
        ? same
        : found.size >= mostFiles
          ? { id, dependencies: [], direct: [], why: `there are more than ${mostFiles} such files` }
          : { id, ...(await readOne(range, { file, beside })) },
    );
  }
  return found;
}

const siblingOf = (path: string, name: string): string => path.replace(/[^/]*$/, name);

async function readOne(
  range: ChangeRange,
  { file, beside }: { file: FileAt; beside: FileAt | undefined },
): Promise<Omit<ReadFile, 'id'>> {
  const nothing = { dependencies: [], direct: [] };
  const megabytes = largestMegabytes(file.path);
  if (file.bytes + (beside?.bytes ?? 0) > megabytes * 1024 ** 2)
    return { ...nothing, why: `it is larger than ${megabytes} MB` };
  const text = await blobText(range, file.id);
  const other = beside === undefined ? null : await blobText(range, beside.id);
  try {
    return { ...(knownFile(file.path)?.read(text, other) ?? nothing), why: null };
  } catch (cause) {
    return { ...nothing, why: cause instanceof Unreadable ? cause.message : 'it cannot be parsed' };
  }
}

async function blobText({ git, clone }: ChangeRange, id: string): Promise<string> {
  return (await gitText(git, ['cat-file', 'blob', id], { cwd: clone })).replace(/^\uFEFF/, '');
}

/** What the second set of files names and the first does not, once each. Pure. */
function additionsOf(
  before: ReadonlyMap<string, ReadFile>,
  after: ReadonlyMap<string, ReadFile>,
): AuditedChange {
  const locks = (files: ReadonlyMap<string, ReadFile>) =>
    [...files].flatMap(([path, { dependencies }]) => (knownFile(path)?.kind === 'lock' ? dependencies : []));
  const asked = (files: ReadonlyMap<string, ReadFile>) =>
    [...files].flatMap(([path, { dependencies }]) => (knownFile(path)?.kind === 'lock' ? [] : dependencies));
  const locked = new Set([...locks(before), ...locks(after)].map(nameOf));
  const isAlone = (dependency: Dependency): boolean => !locked.has(nameOf(dependency));
  const known = [...locks(before), ...asked(before)];
  const there = new Set(known.map(identityOf));
  const now = [...locks(after), ...asked(after).filter(isAlone)];
  const added = new Map(
    now.filter((one) => !there.has(identityOf(one))).map((one) => [identityOf(one), one]),
  );
  const direct = [...before].flatMap(([path, { direct: names }]) => {
    const kind = knownFile(path);
    return kind === null ? [] : names.map((name) => ({ ecosystem: kind.ecosystem, name }));
  });
  return { before: known, direct, added: [...added.values()] };
}

const nameOf = ({ ecosystem, name }: Dependency): string => `${ecosystem} ${name}`;

/** What makes two entries the same one, wherever they are written. */
function identityOf({ ecosystem, name, alias, version, source, integrity }: Dependency): string {
  return JSON.stringify([ecosystem, name, alias, version, source.kind, source.url, integrity]);
}

/** Names licences where no file does, in the change and in what it is compared with. */
async function withLicences(
  { rules, licencesOf }: AuditOptions,
  { added }: AuditedChange,
): Promise<Dependency[]> {
  const silent = added.filter(({ licence }) => licence === null);
  if (rules.licences === undefined || licencesOf === undefined || silent.length === 0) return [...added];
  const known = await licencesOf(silent);
  return added.map((one) => ({
    ...one,
    licence: one.licence ?? known.get(`${one.name}@${one.version}`) ?? null,
  }));
}
