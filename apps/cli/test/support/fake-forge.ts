// `gh` and `glab` of a test: node fake-forge.ts gh|glab ARGUMENTS. What they know is in `hub.json` beside the bare repository.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A request as the fake host keeps it. */
export interface FakeRequest {
  number: number;
  state: 'OPEN' | 'MERGED' | 'CLOSED';
  head: string;
  base: string;
  title: string;
  body: string;
  mergeCommit: string | null;
  words: { by: string; text: string; association: string }[];
}

/** All that the fake host knows. */
export interface FakeHub {
  requests: FakeRequest[];
  /** What was asked of it, oldest first. */
  asked: string[][];
}

/** Reads what a host knows. */
export function readHub(folder: string): FakeHub {
  const file = path.join(folder, 'hub.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FakeHub) : { requests: [], asked: [] };
}

/** Changes it, one after the other: programs of several workers run at the same time. @returns what the change returns */
export function changeHub<T>(folder: string, change: (hub: FakeHub) => T): T {
  const file = path.join(folder, 'hub.json');
  const lock = `${file}.lock`;
  while (!isMade(lock)) pause(5);
  try {
    const hub = readHub(folder);
    const result = change(hub);
    writeFileSync(`${file}.new`, JSON.stringify(hub));
    renameSync(`${file}.new`, file);
    return result;
  } finally {
    rmdirSync(lock);
  }
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const pause = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const has = (folder: string, name: string): boolean => existsSync(path.join(folder, name));

/** The commit of a branch at the host; null: there is none. */
function headOf(folder: string, branch: string): string | null {
  const args = [
    '-C',
    path.join(folder, 'repo.git'),
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}`,
  ];
  try {
    return execFileSync('git', args, { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** Files that go into both branches from their common ancestor and cannot be merged. */
function conflicts(folder: string, { head, base }: FakeRequest): boolean {
  const args = ['-C', path.join(folder, 'repo.git'), 'merge-tree', '--write-tree', base, head];
  try {
    execFileSync('git', args, { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

class Refused extends Error {
  readonly code: number;
  constructor(message: string, code = 1) {
    super(message);
    this.code = code;
  }
}

const valueOf = (args: readonly string[], option: string): string => args[args.indexOf(option) + 1] ?? '';

function open(folder: string, draft: Pick<FakeRequest, 'head' | 'base' | 'title' | 'body'>): FakeRequest {
  if (headOf(folder, draft.head) === null) throw new Refused(`head branch ${draft.head} does not exist`);
  return changeHub(folder, ({ requests }) => {
    if (requests.some(({ state, head }) => state === 'OPEN' && head === draft.head))
      throw new Refused(`a pull request for branch "${draft.head}" already exists`);
    const request: FakeRequest = {
      ...{ number: requests.length + 1, state: 'OPEN', ...draft, mergeCommit: null, words: [] },
    };
    requests.push(request);
    return request;
  });
}

function hang(folder: string, name: string): void {
  if (!has(folder, name)) return;
  writeFileSync(path.join(folder, `${name}.now`), '');
  pause(120_000);
}

const pick = (value: object, fields: string): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => fields.split(',').includes(name)));

function atGitHub(folder: string, args: readonly string[]): unknown {
  const [noun, verb, number] = args;
  const view = (request: FakeRequest): object => ({
    ...{ number: request.number, url: `https://hub.test/pull/${request.number}`, state: request.state },
    ...{ baseRefName: request.base, headRefOid: headOf(folder, request.head), isCrossRepository: false },
    mergeCommit: request.mergeCommit === null ? null : { oid: request.mergeCommit },
    mergeable: request.state === 'OPEN' && conflicts(folder, request) ? 'CONFLICTING' : 'MERGEABLE',
    comments: request.words.map(({ by, text, association }, at) => ({
      ...{
        author: { login: by },
        authorAssociation: association,
        body: text,
        createdAt: `2026-01-0${at + 1}`,
      },
    })),
    reviews: [],
    statusCheckRollup: [{ __typename: 'CheckRun', status: 'COMPLETED', conclusion: 'SUCCESS' }],
  });
  if (noun !== 'pr') throw new Refused(`unknown command ${args.join(' ')}`);
  const { requests } = readHub(folder);
  if (verb === 'create') {
    hang(folder, 'hang-before');
    const body = readFileSync(valueOf(args, '--body-file'), 'utf8');
    const draft = {
      head: valueOf(args, '--head'),
      base: valueOf(args, '--base'),
      title: valueOf(args, '--title'),
    };
    const { number: made } = open(folder, { ...draft, body });
    hang(folder, 'hang-after');
    return `https://hub.test/pull/${made}`;
  }
  if (verb === 'list')
    return requests
      .filter(({ head }) => head === valueOf(args, '--head'))
      .map((request) => pick(view(request), valueOf(args, '--json')));
  const request = requests.find((each) => String(each.number) === number);
  if (verb !== 'view') throw new Refused(`unknown command ${args.join(' ')}`);
  if (request === undefined)
    throw new Refused(`GraphQL: Could not resolve to a PullRequest with the number of ${number ?? ''}.`);
  return pick(view(request), valueOf(args, '--json'));
}

function atGitLab(folder: string, args: readonly string[]): unknown {
  const view = (request: FakeRequest): object => ({
    iid: request.number,
    web_url: `https://gitlab.test/-/merge_requests/${request.number}`,
    state: { OPEN: 'opened', MERGED: 'merged', CLOSED: 'closed' }[request.state],
    ...{ target_branch: request.base, source_project_id: 1, target_project_id: 1 },
    sha: headOf(folder, request.head),
    ...{ merge_commit_sha: request.mergeCommit, squash_commit_sha: null },
    has_conflicts: request.state === 'OPEN' && conflicts(folder, request),
    closed_by: request.state === 'CLOSED' ? { username: request.words.at(-1)?.by ?? 'ann' } : null,
  });
  const [noun, what = ''] = args;
  if (noun === 'mr') {
    const { number } = open(folder, {
      head: valueOf(args, '--source-branch'),
      base: valueOf(args, '--target-branch'),
      title: valueOf(args, '--title'),
      body: valueOf(args, '--description'),
    });
    return `https://gitlab.test/-/merge_requests/${number}`;
  }
  if (noun !== 'api') throw new Refused(`unknown command ${args.join(' ')}`);
  const url = new URL(what, 'https://gitlab.test/');
  const [, number, notes] = /merge_requests(?:\/(\d+))?(\/notes)?$/.exec(url.pathname) ?? [];
  const { requests } = readHub(folder);
  if (number === undefined)
    return requests.filter(({ head }) => head === url.searchParams.get('source_branch')).map(view);
  const request = requests.find((each) => String(each.number) === number);
  if (request === undefined) throw new Refused('glab: 404 Not Found (HTTP 404)');
  if (notes === undefined) return view(request);
  return request.words
    .toReversed()
    .map(({ by, text }) => ({ body: text, system: false, author: { username: by } }));
}

function main(folder: string, [program, ...args]: readonly string[]): void {
  changeHub(folder, ({ asked }) => asked.push([program ?? '', ...args]));
  if (args[0] === 'auth' && args[1] === 'login') {
    writeFileSync(path.join(folder, 'login'), '');
    return;
  }
  if (!has(folder, 'login'))
    throw new Refused(`To get started with the command line, please run:  ${program} auth login`, 4);
  if (args[0] === 'auth') return;
  if (has(folder, 'away')) throw new Refused('error connecting to hub.test');
  const answer = program === 'gh' ? atGitHub(folder, args) : atGitLab(folder, args);
  console.log(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

if (process.argv[1] === import.meta.filename) {
  try {
    main(process.env['FAKE_HUB'] ?? '', process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(error.message);
    process.exitCode = error.code;
  }
}
