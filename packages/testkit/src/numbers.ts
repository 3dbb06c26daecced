/** A list of 32-bit numbers that grows without copying what it holds: 4 bytes each. */
export interface Numbers {
  readonly length: number;
  push(value: number): void;
  at(index: number): number;
}

const chunkBits = 18;
const chunkMask = (1 << chunkBits) - 1;

/** Makes an empty list. */
export function numbers(): Numbers {
  const chunks: Int32Array[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length >> chunkBits === chunks.length) chunks.push(new Int32Array(1 << chunkBits));
      const chunk = chunks[length >> chunkBits];
      if (chunk !== undefined) chunk[length & chunkMask] = value;
      length += 1;
    },
    at: (index) => chunks[index >> chunkBits]?.[index & chunkMask] ?? -1,
  };
}
