/** A set of 64-bit fingerprints, numbered in the order in which they came. */
export interface Fingerprints {
  readonly size: number;
  /** The number of this text: a new one (`size` before the call) when it was not there yet. */
  add(text: string): number;
}

const seeds = [0xdeadbeef, 0x41c6ce57] as const;

/**
 * Makes an empty set that keeps 12 bytes a text, never the text itself: two texts are taken for one when their 64-bit hashes are
 * equal, at ten million texts with a chance of three in a million.
 */
export function fingerprints(capacity = 1 << 16): Fingerprints {
  let mask = capacity - 1;
  let low = new Uint32Array(capacity);
  let high = new Uint32Array(capacity);
  let numbers = new Int32Array(capacity).fill(-1);
  let size = 0;

  function slotOf(a: number, b: number): number {
    let at = (a ^ (b >>> 7)) & mask;
    while (numbers[at] !== -1 && (low[at] !== a || high[at] !== b)) at = (at + 1) & mask;
    return at;
  }
  function put(at: number, entry: readonly [number, number, number]) {
    [low[at], high[at], numbers[at]] = entry;
  }
  function grow() {
    const [oldLow, oldHigh, oldNumbers] = [low, high, numbers];
    const length = numbers.length * 2;
    mask = length - 1;
    low = new Uint32Array(length);
    high = new Uint32Array(length);
    numbers = new Int32Array(length).fill(-1);
    for (let at = 0; at < oldNumbers.length; at++) {
      const [a = 0, b = 0, number = -1] = [oldLow[at], oldHigh[at], oldNumbers[at]];
      if (number !== -1) put(slotOf(a, b), [a, b, number]);
    }
  }

  return {
    get size() {
      return size;
    },
    add(text) {
      const [a, b] = hash(text);
      const at = slotOf(a, b);
      const known = numbers[at] ?? -1;
      if (known !== -1) return known;
      put(at, [a, b, size]);
      size += 1;
      if (size * 3 > numbers.length * 2) grow();
      return size - 1;
    },
  };
}

/** Two 32-bit halves that both depend on every character (cyrb53's mixing). */
function hash(text: string): [number, number] {
  let [a, b]: [number, number] = [seeds[0] ^ text.length, seeds[1] ^ text.length];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
    a = (a << 13) | (a >>> 19);
    b = (b << 15) | (b >>> 17);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a >>> 0, b >>> 0];
}
