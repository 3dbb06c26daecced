import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { Output } from '../terminal/output.ts';
import { startRounds } from './rounds.ts';

const everyMs = 1;
const kept = { eventsMs: 7_000, agentEventsMs: 5_000 };
const nothing = { entities: 0, events: 0, files: [], slowestReader: null };
const unpruned = { agentEvents: 0, checkpoints: 0, commands: 0 };

function notes() {
  const said: string[] = [];
  const warned: string[] = [];
  const out = { note: (text: string) => said.push(text), warn: (text: string) => warned.push(text) };
  return { said, warned, call: { out: out as unknown as Output } };
}

test('each round archives and prunes by the policy, and says nothing while nothing leaves', async () => {
  const { said, warned, call } = notes();
  const asked: unknown[] = [];
  const store = {
    write(options: object) {
      asked.push(options);
      return Promise.resolve(nothing);
    },
    prune(options: object) {
      asked.push(options);
      return Promise.resolve(unpruned);
    },
  };
  const rounds = startRounds(call, { store: { archive: store } }, { kept, dir: '/archive', everyMs });
  await until(() => asked.length >= 6, { what: 'three rounds' });
  await rounds.stop();
  expect(asked.slice(0, 4)).toEqual([
    { dir: '/archive', olderThanMs: 7_000 },
    { agentEventsMs: 5_000, checkpointsMs: 5_000, commandsMs: 5_000 },
    { dir: '/archive', olderThanMs: 7_000 },
    { agentEventsMs: 5_000, checkpointsMs: 5_000, commandsMs: 5_000 },
  ]);
  expect(said).toEqual([]);
  expect(warned).toEqual([]);
});

test('a round that fails is reported, and the next one tries again', async () => {
  const { said, warned, call } = notes();
  let round = 0;
  const write = async () => {
    round += 1;
    if (round === 1) throw new Error('the disk is full');
    return round === 2 ? { ...nothing, events: 4 } : nothing;
  };
  const store = { write, prune: () => Promise.resolve({ ...unpruned, agentEvents: round === 2 ? 2 : 0 }) };
  const rounds = startRounds(call, { store: { archive: store } }, { kept, dir: '/archive', everyMs });
  await until(() => round >= 4, { what: 'four rounds' });
  await rounds.stop();
  expect(warned).toEqual([expect.stringMatching(/^Archiving failed .*the disk is full/)]);
  expect(said).toEqual(['Moved 4 events to /archive, deleted 2 lines and 0 checkpoints of agents.']);
});

test('no round begins beside another, stop waits for the one under way, and none begins after it', async () => {
  const { call } = notes();
  const retention = { kept, dir: '/archive', everyMs };
  const gate = Promise.withResolvers<typeof nothing>();
  const seen = { begun: 0, pruned: 0, beside: 0 };
  const write = () => {
    seen.begun += 1;
    return gate.promise;
  };
  const prune = () => {
    seen.pruned += 1;
    return Promise.resolve(unpruned);
  };
  const other = { write: () => Promise.resolve(nothing), prune: () => Promise.resolve(unpruned) };
  const count = () => {
    seen.beside += 1;
    return other.write();
  };
  const rounds = startRounds(call, { store: { archive: { write, prune } } }, retention);
  const beside = startRounds(call, { store: { archive: { ...other, write: count } } }, retention);
  await until(() => seen.beside > 5, { what: 'several rounds of another retention' });
  expect(seen.begun).toBe(1);
  const stopped = rounds.stop();
  gate.resolve(nothing);
  await stopped;
  const before = seen.beside;
  await until(() => seen.beside > before + 5, { what: 'several rounds more of the other' });
  await beside.stop();
  expect([seen.begun, seen.pruned]).toEqual([1, 1]);
});

test('a history that is kept without limit is not archived, the rest is pruned', async () => {
  const { warned, call } = notes();
  const asked: unknown[] = [];
  const store = {
    write: () => Promise.reject(new Error('its history is kept for ever')),
    prune(options: object) {
      asked.push(options);
      return Promise.resolve(unpruned);
    },
  };
  const rounds = startRounds(
    call,
    { store: { archive: store } },
    { kept: { ...kept, eventsMs: null }, dir: '/archive', everyMs },
  );
  await until(() => asked.length > 2, { what: 'some rounds' });
  await rounds.stop();
  expect(warned).toEqual([]);
});
