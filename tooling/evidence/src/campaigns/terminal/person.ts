import type { Begun, Screen, Terminal, Typed } from './terminal.ts';

/** One command of the hour, as it stood on the terminal. */
export interface Shown {
  /** What the person does, in a sentence. */
  says: string;
  command: string;
  /** Screens while it ran that are worth seeing. */
  during: readonly (readonly string[])[];
  lines: readonly string[];
  problems: readonly string[];
}

/** A command, and what should come of it. */
export interface Expected {
  /** What the person does, in a sentence. */
  says: string;
  /** The exit code that it should have; 0 when left out. */
  exit?: number;
  /** What must stand on the terminal at its end. */
  shows?: RegExp;
  /** What the person does while it runs; gives the screens that are worth keeping. */
  meanwhile?(begun: Begun): Promise<readonly Screen[]>;
}

/** Somebody at a terminal, whose screens are kept. */
export interface Person {
  shown: readonly Shown[];
  /** @throws Error when the command ends otherwise than it should */
  types(command: string, expected: Expected): Promise<Typed>;
}

const spinner = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] |[━─]{20} /;

/** A person whose screens are tidied before they are kept. */
export function createPerson(terminal: Terminal, tidy: (line: string) => string): Person {
  const shown: Shown[] = [];
  return {
    shown,
    async types(command, { says, exit = 0, shows, meanwhile }) {
      const begun = terminal.begin(command);
      const during = (await meanwhile?.(begun)) ?? [];
      const typed = await begun.ended();
      const problems: string[] = [];
      const text = typed.lines.join('\n');
      if (typed.exitCode !== exit) problems.push(`ends with ${typed.exitCode}, not ${exit}`);
      if (shows && !shows.test(text)) problems.push(`does not show ${shows.source}`);
      for (const line of typed.lines.filter((each) => spinner.test(each)))
        problems.push(`leaves a line of the live view behind: ${line}`);
      for (const line of [typed, ...during].flatMap(({ wrapped }) => wrapped))
        problems.push(`a line does not fit: ${line}`);
      shown.push({
        says,
        command,
        during: during.map(({ lines }) => lines.map(tidy)),
        lines: typed.lines.map(tidy),
        problems: [...new Set(problems.map(tidy))],
      });
      if (typed.exitCode !== exit) throw new Error(`${command} ends with ${typed.exitCode}:\n${text}`);
      return typed;
    },
  };
}
