/** Reads JSON, one value a line, whatever pieces its bytes come in; see {@link jsonLines}. */
export interface JsonLines {
  push(chunk: Buffer): void;
  /** Reads what is left after the last line break. */
  end(): void;
}

const lineBreak = 0x0a;

/**
 * Calls `onValue` for each line that is JSON, and `onOther` for each that is not; blank lines are passed over. Whole pieces are turned into
 * text at once, and only lines that lie in several pieces are put together, so that a line costs little more than `JSON.parse`.
 *
 * @param options.onFlood Called once, for a line of more than `maxLineBytes`; after that nothing is read any more.
 */
export function jsonLines(options: {
  onValue: (value: unknown) => void;
  onOther: (line: string) => void;
  onFlood: () => void;
  maxLineBytes: number;
}): JsonLines {
  const { onFlood, maxLineBytes } = options;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let isFlooded = false;

  /** Keeps bytes of a line that is not whole; false when there are too many. */
  const keep = (bytes: Buffer): boolean => {
    begun.push(bytes);
    begunBytes += bytes.length;
    if (begunBytes <= maxLineBytes) return true;
    isFlooded = true;
    begun = [];
    onFlood();
    return false;
  };
  const takeBegun = (): string => {
    const text = Buffer.concat(begun).toString('utf8');
    begun = [];
    begunBytes = 0;
    return text;
  };

  return {
    push(chunk) {
      if (isFlooded) return;
      let at = 0;
      if (begunBytes > 0) {
        const end = chunk.indexOf(lineBreak);
        if (!keep(chunk.subarray(0, end < 0 ? undefined : end)) || end < 0) return;
        readLine(takeBegun(), options);
        at = end + 1;
      }
      const last = chunk.lastIndexOf(lineBreak);
      if (last >= at) {
        readLines(chunk.toString('utf8', at, last), options);
        at = last + 1;
      }
      if (at < chunk.length) keep(chunk.subarray(at));
    },
    end() {
      if (begunBytes > 0 && !isFlooded) readLine(takeBegun(), options);
    },
  };
}

type Readers = Pick<Parameters<typeof jsonLines>[0], 'onValue' | 'onOther'>;

function readLines(text: string, readers: Readers): void {
  let at = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
    readLine(text.slice(at, end), readers);
    at = end + 1;
  }
  readLine(at === 0 ? text : text.slice(at), readers);
}

function readLine(line: string, { onValue, onOther }: Readers): void {
  const value = parsed(line) ?? parsed(line.trim());
  if (value !== undefined) onValue(value.json);
  else if (line.trim() !== '') onOther(line);
}

/** Undefined: no JSON. */
function parsed(line: string): { json: unknown } | undefined {
  try {
    return line === '' ? undefined : { json: JSON.parse(line) as unknown };
  } catch {
    return undefined;
  }
}
