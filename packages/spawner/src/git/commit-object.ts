/** What a commit object is made of. */
export interface NewCommit {
  tree: string;
  parents: readonly string[];
  author: Signature;
  committer: Signature;
  message: string;
}

/** Who, and when in git's own form: seconds and zone. */
interface Signature {
  name: string;
  email: string;
  date: string;
}

/** Where a name begins or ends otherwise, git takes characters away. */
const plainName = /^[\p{L}\p{N}](?:[^<>\p{Cc}]*[\p{L}\p{N}])?$/u;
const plainDate = /^@(\d{1,10} [+-]\d{4})$/;
const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
const isId = new RegExp(`^${id}$`);

/**
 * Reads a `git commit-tree <tree> -p <parent>… -F -` whose outcome is known without git: full ids, a given date, names that git takes as
 * they are. Null: git must make it.
 */
export function readCommitTree(
  args: readonly string[],
  { stdin, env }: { stdin: string | undefined; env: Readonly<Record<string, string>> },
): NewCommit | null {
  const [command, tree = '', ...rest] = args;
  if (command !== 'commit-tree' || !isId.test(tree) || stdin === undefined || stdin.includes('\0'))
    return null;
  const [flag, dash] = rest.slice(-2);
  const named = rest.slice(0, -2);
  const parents = named.filter((_, at) => at % 2 === 1);
  const isPlain =
    flag === '-F' &&
    dash === '-' &&
    named.every((arg, at) => (at % 2 === 0 ? arg === '-p' : arg.length === tree.length && isId.test(arg))) &&
    named.length === 2 * parents.length &&
    new Set(parents).size === parents.length;
  const [author, committer] = [signature('AUTHOR', env), signature('COMMITTER', env)];
  if (!isPlain || author === null || committer === null) return null;
  return { tree, parents, author, committer, message: stdin };
}

function signature(role: string, env: Readonly<Record<string, string>>): Signature | null {
  const [name = '', email = ''] = [env[`GIT_${role}_NAME`], env[`GIT_${role}_EMAIL`]];
  const [, date] = plainDate.exec(env[`GIT_${role}_DATE`] ?? '') ?? [];
  if (date === undefined || !plainName.test(name) || !plainName.test(email)) return null;
  return { name, email, date };
}

/** The body of a commit object. */
export function writeCommit({ tree, parents, author, committer, message }: NewCommit): Buffer {
  const by = ({ name, email, date }: Signature): string => `${name} <${email}> ${date}`;
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${by(author)}`,
    `committer ${by(committer)}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${message}`, 'utf8');
}

/** What is read of a commit object; null when it is not well-formed. */
export interface CommitFacts {
  tree: string;
  parents: string[];
  /** Subject, where it is one plain line in UTF-8; null: git must say. */
  subject: string | null;
}

export function readCommit(body: Buffer): CommitFacts | null {
  const text = body.toString('utf8');
  const cut = text.indexOf('\n\n');
  const head = (cut < 0 ? text : text.slice(0, cut)).split('\n');
  const tree = new RegExp(`^tree (${id})$`).exec(head[0] ?? '')?.[1];
  if (tree === undefined) return null;
  const parents: string[] = [];
  for (const line of head.slice(1)) {
    const parent = new RegExp(`^parent (${id})$`).exec(line)?.[1];
    if (parent === undefined) break;
    parents.push(parent);
  }
  const isPlain = cut >= 0 && !head.some((line) => line.startsWith('encoding ')) && isUtf8(body, text);
  const [, subject = null] = isPlain
    ? (/^(\S(?:[^\n\r]*\S)?)(?:\n\n|\n?$)/.exec(text.slice(cut + 2)) ?? [])
    : [];
  return { tree, parents, subject };
}

const isUtf8 = (body: Buffer, text: string): boolean => Buffer.from(text, 'utf8').equals(body);
