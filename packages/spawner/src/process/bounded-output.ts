/** Keeps the first and the last bytes of a stream, however long it is. */
export interface BoundedOutput {
  /** Takes the next bytes. */
  push(chunk: Buffer): void;
  /** Head, a note about what was dropped, tail. Characters split between chunks are whole. */
  text(): string;
  /** Whether anything was dropped. */
  readonly truncated: boolean;
}

/**
 * Makes a buffer for at most `maxBytes`: half for the head, half for the tail.
 * @param options.wholeWords what was cut in two is dropped as a whole: half a secret would not be redacted
 */
export function boundedOutput(maxBytes: number, options: { wholeWords?: boolean } = {}): BoundedOutput {
  const half = Math.floor(maxBytes / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let dropped = 0;

  const trim = () => {
    // Only when it is twice too long: trimming at each chunk would copy the tail over and over.
    if (tailBytes <= 2 * half) return;
    const whole = Buffer.concat(tail);
    dropped += whole.length - half;
    tail = [Buffer.from(whole.subarray(whole.length - half))];
    tailBytes = half;
  };

  return {
    push(chunk) {
      const room = half - headBytes;
      if (room > 0) {
        head.push(chunk.subarray(0, room));
        headBytes += Math.min(room, chunk.length);
      }
      if (chunk.length > room) {
        const rest = room > 0 ? chunk.subarray(room) : chunk;
        tail.push(rest);
        tailBytes += rest.length;
        trim();
      }
    },
    text() {
      const whole = Buffer.concat(tail);
      const cut = Math.max(0, whole.length - half);
      const lost = dropped + cut;
      if (lost === 0) return Buffer.concat([...head, whole]).toString('utf8');
      const first = Buffer.concat(head)
        .toString('utf8')
        .replace(/\uFFFD+$/, '');
      const last = whole
        .subarray(cut)
        .toString('utf8')
        .replace(/^\uFFFD+/, '');
      const note = `\n… ${lost} bytes dropped …\n`;
      return options.wholeWords === true
        ? first.replace(/\S+$/, '') + note + last.replace(/^\S+/, '')
        : first + note + last;
    },
    get truncated() {
      return dropped > 0 || tailBytes > half;
    },
  };
}
