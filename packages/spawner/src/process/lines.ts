import { StringDecoder } from 'node:string_decoder';

const longestLine = 64 * 1024;
const overlap = 8 * 1024;

/** Turns bytes into whole lines, whatever the chunks; see {@link lineSplitter}. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Gives what is left after the last line break. */
  end(): void;
}

/**
 * Calls `onText` with text that ends at a line's end, so that a secret is never cut in two before it is redacted.
 * A line of more than 64 KiB is given in pieces.
 */
export function lineSplitter(onText: (text: string) => void): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    push(chunk) {
      rest += decoder.write(chunk);
      const end = rest.lastIndexOf('\n') + 1;
      // Of an endless line the last piece stays, in case a secret begins in it.
      const cut = end > 0 ? end : rest.length > longestLine ? rest.length - overlap : 0;
      if (cut === 0) return;
      const text = rest.slice(0, cut);
      rest = rest.slice(cut);
      onText(text);
    },
    end() {
      const text = rest + decoder.end();
      rest = '';
      if (text !== '') onText(text);
    },
  };
}
