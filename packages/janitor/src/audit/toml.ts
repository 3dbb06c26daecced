import { parse } from 'smol-toml';
import { Unreadable } from './dependency.ts';

/** The table that a TOML file is. @throws Unreadable */
export function tomlOf(text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const [first = ''] = (cause as Error).message.split('\n', 1);
    throw new Unreadable(`it is no TOML: ${first}`);
  }
}
