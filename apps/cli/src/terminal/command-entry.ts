import type { AddCommands } from './call.ts';

/** A command of the general help, whose code is loaded when it is called. */
export interface Entry {
  /** What the general help says of each of its commands: how it is called, and what it does. */
  lines: readonly (readonly [usage: string, what: string])[];
  /** The heading that the help lists it under. */
  group: string;
  load: () => Promise<AddCommands>;
}

/** The first word of how a command is called. */
export const nameOf = (usage: string) => usage.split(' ', 1)[0];

/** The command with its code, under the heading of its group. */
export async function loadInGroup({ group, load }: Entry): Promise<AddCommands> {
  const add = await load();
  return (program, define) => {
    program.commandsGroup(group);
    add(program, define);
  };
}

/** The commands by name only, without what they do. */
export function addLines({ group, lines }: Entry): AddCommands {
  return (program) => {
    program.commandsGroup(group);
    for (const [usage, what] of lines) {
      const stub = program.command(usage.replace(' [options]', '')).description(what);
      if (usage.includes('[options]')) stub.option('--json');
    }
  };
}
