import { printable } from '@baton/contracts';
import pc from 'picocolors';

const names = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'cyan'] as const;

type Paint = (text: string) => string;

/** The colours of one command's output, and what distinguishes them from others. */
export interface Colors extends Readonly<Record<(typeof names)[number], Paint>> {
  /** Text for a cell whose width counts: our own colours stay, everything else that a terminal obeys is visible. */
  readonly cell: Paint;
  /** The same, as it goes to the terminal: our own colours become plain ones. Nothing else of it is obeyed. */
  readonly finish: Paint;
  /** The same without our own colours, e.g. to measure it. */
  readonly strip: Paint;
}

/**
 * Makes colours, which do nothing where they are switched off. Each code carries a seal until the text leaves. The seal
 * distinguishes it from colours and escape sequences in text of agents, titles or git, wherever they were put together.
 * @param options.seal digits in groups of at most four, as `1234;5678`, that no one outside can guess
 */
export function createColors({ enabled, seal }: { enabled: boolean; seal: string }): Colors {
  const own = new RegExp(`(\\x1b\\[\\d+;${seal}m)`);
  const pieces = (text: string, paint: (code: string) => string) =>
    text
      .split(own)
      .map((piece, at) => (at % 2 === 1 ? paint(piece) : printable(piece)))
      .join('');
  const plain = pc.createColors(true);
  const paints = names.map((name) => {
    const [open = '', close = ''] = plain[name]('\0')
      .split('\0')
      .map((code) => code.replace('m', `;${seal}m`));
    const paint: Paint = (text) => `${open}${text.replaceAll(close, `${close}${open}`)}${close}`;
    return [name, enabled ? paint : (text: string) => text] as const;
  });
  return {
    ...(Object.fromEntries(paints) as Record<(typeof names)[number], Paint>),
    cell: (text) => pieces(text, (code) => code),
    strip: (text) => pieces(text, () => ''),
    finish: (text) => pieces(text, (code) => code.replace(`;${seal}m`, 'm')),
  };
}

/** Colours that are switched off. */
export const noColors: Colors = createColors({ enabled: false, seal: '0' });
