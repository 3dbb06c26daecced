import { describe, expect, it } from 'vitest';
import { drift, generators, type GeneratorName } from '../src/index.ts';

describe('generated documents', () => {
  it.each(Object.keys(generators) as GeneratorName[])(
    '%s on disk equal what the code says today',
    async (name) => {
      expect(await drift(name), `regenerate with: pnpm check ${name} --fix`).toEqual([]);
    },
  );
});
