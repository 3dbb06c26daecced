import { expect, it } from 'vitest';
import { carryCommand } from './carry.ts';

const run = { slug: 'tidy-1', status: 'paused', standing: false };
const repo = { location: "/srv/it's", host: 'here' };

it('a run is carried on by `baton run` where its repository is, and names that from elsewhere', () => {
  expect(carryCommand(run)).toBe('baton run --resume tidy-1');
  expect(carryCommand(run, { repo, host: 'here', here: repo.location, ownStore: true })).toBe(
    'baton run --resume tidy-1',
  );
  for (const here of ['/srv/other', null])
    expect(carryCommand(run, { repo, here })).toBe(`baton run --resume tidy-1 --repo '/srv/it'\\''s'`);
  expect(carryCommand(run, { repo, isUp: true })).toBe('baton resume tidy-1');
  expect(carryCommand(run, { repo, host: 'there' })).toBe('baton run --resume tidy-1 # on host here');
});

it('what no `baton run` can carry on, `baton up` does, resumed first where it is paused', () => {
  const url = { location: 'https://git.example/it', host: null };
  const foreign = { repo, here: '/srv/other', ownStore: true };
  for (const [one, place] of [
    [{ ...run, standing: true }, {}],
    [run, { repo: url }],
    [run, foreign],
  ] as const) {
    expect(carryCommand(one, place)).toBe('baton resume tidy-1 && baton up');
    expect(carryCommand({ ...one, status: 'failed' }, place)).toBe('baton resume tidy-1 && baton up');
    expect(carryCommand({ ...one, status: 'running' }, place)).toBe('baton up');
    expect(carryCommand(one, { ...place, isUp: true })).toBe('baton resume tidy-1');
  }
});
