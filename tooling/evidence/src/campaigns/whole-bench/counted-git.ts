import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** A git that writes down each of its starts. */
export interface CountedGit {
  /** For the environment: the counting git comes first in it. */
  PATH: string;
  /** How often it was started so far, by what it was asked for. */
  starts(): Map<string, number>;
}

/**
 * Puts a program `git` into `folder` that adds a line to a file and becomes the real git. One that stays up for many questions counts
 * once, and what git starts by itself counts not at all: it finds its own programs without PATH.
 */
export function countedGit(folder: string, { PATH }: { PATH: string }): CountedGit {
  mkdirSync(folder, { recursive: true });
  const log = path.join(folder, 'starts');
  const program = path.join(folder, 'git');
  writeFileSync(log, '');
  writeFileSync(program, script({ log, real: realGit(PATH) }));
  chmodSync(program, 0o755);
  return {
    PATH: `${folder}${path.delimiter}${PATH}`,
    starts: () => countLines(existsSync(log) ? readFileSync(log, 'utf8') : ''),
  };
}

/** How often each line is there. */
export function countLines(text: string): Map<string, number> {
  const lines = text.split('\n').map((line) => line.trim());
  const counts = new Map<string, number>();
  for (const line of lines.filter((each) => each !== '')) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function realGit(PATH: string): string {
  for (const folder of PATH.split(path.delimiter)) {
    const file = path.resolve(folder, 'git');
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  throw new Error('There is no git in PATH.');
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Nothing but what the shell does by itself: no process more than the real git. The line is the command and its first option. */
const script = ({ log, real }: { log: string; real: string }): string => `#!/bin/sh
skip= command= option=
for word do
  if [ -n "$skip" ]; then skip=; continue; fi
  if [ -z "$command" ]; then
    case $word in
      -c | -C | --git-dir | --work-tree) skip=1 ;;
      --version) command=$word ;;
      -*) ;;
      *) command=$word ;;
    esac
    continue
  fi
  case $word in *[!a-z-]*) ;; *) option=$word ;; esac
  break
done
printf '%s\\n' "$command $option" >> ${quoted(log)}
exec ${quoted(real)} "$@"
`;
