import { describe, expect, it } from 'vitest';
import { campaigns } from '../src/campaigns.ts';
import { readRequest } from '../src/command-line.ts';

const read = (...args: string[]) => readRequest(args, campaigns);

describe('pnpm evidence', () => {
  it('lists the campaigns when none is named', () => {
    expect(read()).toEqual({ kind: 'list', campaigns });
  });

  it('runs a campaign in full, with seed 1, unless told otherwise', () => {
    expect(read('tables')).toMatchObject({
      kind: 'run',
      campaign: { name: 'tables' },
      short: false,
      seed: 1,
    });
    expect(read('store-bench', '--only', 'one/store,bulk')).toMatchObject({ only: ['one/store', 'bulk'] });
    expect(read('tables', '--short', '--seed', '7', '--json')).toMatchObject({
      short: true,
      seed: 7,
      json: true,
    });
  });

  it('shows for one campaign alone what its options are', () => {
    const torture = campaigns.filter(({ name }) => name === 'torture');
    expect(read('torture', '--help')).toEqual({ kind: 'list', campaigns: torture });
    expect(read('--help')).toEqual({ kind: 'list', campaigns });
    expect(torture[0]?.adds).toMatch(/real trials in all parts together/);
  });

  it('suggests the campaign that an unknown name is nearest to, and names them all', () => {
    const request = read('tabels');
    expect(request).toMatchObject({ kind: 'wrong' });
    expect(request.kind === 'wrong' && request.message).toMatch(/Did you mean "tables"\?.*whole-bench/);
  });

  it('suggests nothing for a name that is near none', () => {
    const request = read('xyz');
    expect(request.kind === 'wrong' && request.message).not.toContain('Did you mean');
  });

  it.each([
    ['an unknown option', ['tables', '--sort'], /--sort/],
    ['a seed that is no number', ['tables', '--seed', 'x'], /whole number/],
    ['trials of a campaign that adds nothing up', ['tables', '--trials', '5'], /adds nothing up/],
    ['trials that are no number', ['torture', '--trials', 'x'], /--trials takes/],
    ['trials of a short form', ['torture', '--short', '--trials', '9'], /leave out --short or --trials/],
    ['two campaigns', ['tables', 'contention'], /One campaign at a time/],
    ['cases for a campaign that takes none', ['tables', '--cases', '.'], /takes no cases/],
    ['parts of a campaign that has none', ['tables', '--only', 'a'], /no parts/],
    ['a part that there is not', ['store-bench', '--only', 'one,two'], /no part "two"\. Parts: one,/],
    ['keeping parts of a campaign', ['store-bench', '--only', 'one', '--save'], /leave out --only or --save/],
    ['keeping a short run', ['tables', '--short', '--save'], /Only full runs/],
  ])('refuses %s', (_, args, message) => {
    const request = read(...args);
    expect(request.kind === 'wrong' && request.message).toMatch(message);
  });
});
