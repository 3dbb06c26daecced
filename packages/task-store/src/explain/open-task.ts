import { shellWord } from '@baton/contracts';
import { clause, reasonOf, type Answer } from './answer.ts';
import { agentUnavailable } from './reach.ts';
import { movedText, targetMoved } from './target.ts';
import { carryAgain, holderLives, livingWorkers, resumeCommand, workerName } from './workers.ts';
import type { ExplainFacts } from './explain.sql.ts';

/**
 * All that keeps an OPEN task from being claimed, in order of precedence: what only a person or another task can end comes
 * before what ends by itself, and what concerns the task alone before what concerns everybody.
 */
export function openAnswers(facts: ExplainFacts): [Answer, ...Answer[]] {
  const found = [
    cancelling,
    dependencyFailed,
    movedTarget,
    dependency,
    runPaused,
    ofPerson(later),
    ofPerson(budget),
    registered(workers),
    agentUnavailable,
    ofItself(later),
    ofItself(budget),
    pathLock,
    runLimit,
    unregistered(workers),
    landingBehind,
    conflict,
    feedBehind,
  ].flatMap((look) => look(facts) ?? []);
  const [first = ready(facts), ...others] = found;
  return [first, ...others];
}

type Look = (facts: ExplainFacts) => Answer | null;

const ofPerson =
  (look: Look): Look =>
  (facts) => {
    const answer = look(facts);
    return answer?.owner.endsWith('a person') ? answer : null;
  };

/** Where no worker ever registered, an unknown client may claim over HTTP. */
const registered =
  (look: Look): Look =>
  (facts) =>
    facts.hasWorkers ? look(facts) : null;

const unregistered =
  (look: Look): Look =>
  (facts) =>
    facts.hasWorkers ? null : look(facts);

const ofItself =
  (look: Look): Look =>
  (facts) =>
    ofPerson(look)(facts) === null ? look(facts) : null;

const ready = ({ key }: ExplainFacts): Answer => ({
  cause: 'ready',
  text: `${key} is ready; the next free worker takes it.`,
  owner: 'the next idle worker',
});

const cancelling: Look = ({ key, cancelRequested }) =>
  cancelRequested
    ? { cause: 'blocked', text: `${key} is to be cancelled; upkeep does it next.`, owner: 'upkeep' }
    : null;

const dependencyFailed: Look = ({ key, run, waitsFor }) => {
  const lost = waitsFor.find((dependency) => dependency.settled);
  if (lost === undefined) return null;
  return {
    cause: 'dependency_failed',
    text: `${key} depends on ${lost.key}, which is ${lost.status}.`,
    owner: 'a person',
    unblock: `baton retry ${run}/${lost.key}`,
  };
};

const dependency: Look = ({ key, waitsFor }) => {
  const living = waitsFor.filter((each) => !each.settled);
  const [first] = living;
  if (first === undefined) return null;
  return {
    cause: 'dependency',
    text: `${key} waits for ${living.map((each) => each.key).join(', ')}.`,
    owner: `task ${first.key}`,
  };
};

export const movedTarget: Look = (facts) => {
  const text = movedText(facts);
  return text === null ? null : targetMoved(facts, { text, goOn: resumeCommand(facts) });
};

export const runPaused: Look = (facts) => {
  const { run, runStatus, runReason } = facts;
  if (runStatus === 'paused' && movedText(facts) === null)
    return {
      cause: 'run_paused',
      text: `The run is paused: ${clause(runReason ?? 'no reason given')}.`,
      owner: 'a person',
      unblock: `baton resume ${run}`,
    };
  if (runStatus !== 'failed' && runStatus !== 'cancelled') return null;
  return {
    cause: 'run_paused',
    text: `The run ${runStatus === 'failed' ? 'failed' : 'was cancelled'}: ${clause(runReason ?? 'no reason given')}.`,
    owner: 'a person',
    unblock: runStatus === 'failed' ? resumeCommand(facts) : 'start a new run',
  };
};

const later: Look = (facts) => {
  const { key, run, now, notBefore: until, last, budgetReserved } = facts;
  if (until === null || until <= now) return null;
  const why = last?.summary ? ` (${clause(last.summary)})` : '';
  switch (last?.outcome ?? '') {
    case 'price_unknown':
      return {
        cause: 'price_unknown',
        text: `The price of the model of ${key} is unknown, and its run has a budget${why}.`,
        owner: 'a person',
        until,
        unblock: `name a model with a known price, or lift the budget with \`baton budget none ${run}\``,
      };
    case 'budget':
      return {
        cause: 'budget',
        text: `No model for ${key} fits what is left of the budget${why}.`,
        owner: budgetReserved ? 'the tasks that hold reservations, or a person' : 'a person',
        until,
        unblock: `baton budget <usd> ${run}`,
      };
    case 'state_full':
      return stateFull(facts, { until, why });
    case 'rate_limited':
    case 'parked':
      return parked(run, { text: `The provider of ${key} is rate-limited${why}.`, until });
    case 'provider_down':
      return parked(run, { text: `The provider of ${key} fails${why}; no try is counted.`, until });
    default:
      return {
        cause: 'not_before',
        text: last
          ? `${key} waits before its next try (last: ${reasonOf(last)}).`
          : `${key} is not to begin yet.`,
        owner: 'upkeep',
        until,
      };
  }
};

/** The rules are read when a process starts, so that only a new start ends it. */
function stateFull(facts: ExplainFacts, { until, why }: { until: Date; why: string }): Answer {
  const isShared = livingWorkers(facts).some((worker) => !worker.own);
  const start = isShared ? 'baton up' : carryAgain(facts);
  return {
    cause: 'state_full',
    text: `The state folder has no room for the work on ${facts.key}${why}.`,
    owner: 'a person',
    until,
    unblock: `raise retention.disk in baton.yaml, or shorten the other retentions, then start it again: ${start}`,
  };
}

/** A person may know that it takes work again: resuming asks it at once. */
const parked = (run: string, given: { text: string; until: Date }): Answer => ({
  cause: 'provider_parked',
  ...given,
  owner: 'upkeep',
  unblock: `baton resume ${run}`,
});

const budget: Look = ({ key, run, budgetShort, budgetHeld, budgetReserved, ...money }) => {
  if (!budgetShort) return null;
  const others = budgetReserved && !budgetHeld;
  return {
    cause: 'budget',
    text:
      money.budgetCap === 0
        ? 'The budget of the run is $0, and nothing begins on that.'
        : budgetHeld
          ? `The budget of the run is spent to ${percentOf(money)} %; from 95 % on nothing new begins.`
          : others
            ? `The budget of the run has no room for ${key} as long as others hold reservations.`
            : `What is left of the run's budget has no room for ${key}.`,
    owner: others ? 'the tasks that hold reservations' : 'a person',
    unblock: `baton budget <usd> ${run}`,
  };
};

/** Rounded down: what is not used up is never told as 100. */
function percentOf({ budgetCap, budgetSpent }: { budgetCap: number | null; budgetSpent: number }): string {
  const percent = budgetCap === null ? 100 : Math.floor((budgetSpent * 100) / budgetCap);
  return percent.toLocaleString('en-US');
}

const pathLock: Look = ({ key, pathOwner, pathWanter }) => {
  if (pathOwner !== null)
    return {
      cause: 'path_lock',
      text: `${pathOwner} works on the paths of ${key}.`,
      owner: `task ${pathOwner}`,
    };
  if (pathWanter === null) return null;
  return {
    cause: 'path_lock',
    text: `${pathWanter} has waited longest for the paths of ${key} and goes first.`,
    owner: `task ${pathWanter}`,
  };
};

const runLimit: Look = ({ slotsFull }) =>
  slotsFull
    ? {
        cause: 'run_limit',
        text: 'As many agents as the run allows are at work.',
        owner: 'the next agent of the run that ends',
      }
    : null;

const workers: Look = (facts) => {
  const { key, host, labels } = facts;
  const living = livingWorkers(facts);
  const fitting = living.filter((worker) => worker.fits);
  if (fitting.some((worker) => worker.status === 'online')) return null;
  if (fitting.length > 0)
    return {
      cause: 'workers_draining',
      text: `All workers that could take ${key} are draining.`,
      owner: 'a person',
      unblock: fitting.some((worker) => worker.own)
        ? `start a worker: ${carryAgain(facts)}, once they have ended`
        : `start a worker: ${carryAgain(facts)}`,
    };
  const needs = [
    ...(host === null ? [] : [`host ${host}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(', ')}`]),
  ].join(' and ');
  // `baton run` takes every label, but there is one of a run at a time.
  const carry = living.some((worker) => worker.own) ? 'baton up' : carryAgain(facts);
  const labelled = `BATON_LABELS=${shellWord(labels.join(','))} baton up`;
  const command = labels.length === 0 ? carry : carry.replace(/\bbaton up$/, () => labelled);
  return {
    cause: 'no_capable_worker',
    text: `No worker is online that could take ${key}${needs === '' ? '' : ` (it needs ${needs})`}.`,
    owner: 'a person',
    unblock: `start a worker${needs === '' ? '' : ` with ${needs}`}: ${command}`,
  };
};

/** All that could take it hold back, until the holder of the lane has landed something. */
const landingBehind: Look = (facts) => {
  const { key, lane } = facts;
  const fitting = livingWorkers(facts).filter(({ fits, status }) => fits && status === 'online');
  if (fitting.length === 0 || fitting.some(({ behind }) => !behind)) return null;
  const holder = lane?.workerId && lane.live && holderLives(lane.workerId, facts) ? lane.workerId : null;
  return {
    cause: 'landing_behind',
    text: `${key} is ready, but too many finished tasks wait to land; it starts when fewer do.`,
    owner: holder === null ? 'the next worker that lands' : workerName(holder, facts),
  };
};

const conflict: Look = ({ key, last }) =>
  last?.outcome === 'conflict'
    ? {
        cause: 'conflict',
        text: `The last work on ${key} conflicted with work that landed since; it is redone from a fresh head (${clause(last.rejections.at(-1) ?? 'no files named')}).`,
        owner: 'the next idle worker',
      }
    : null;

const feedBehind: Look = ({ feedBehind: events }) =>
  events > 0
    ? {
        cause: 'feed_behind',
        text: `The event feed is behind by ${events} ${events === 1 ? 'event' : 'events'}; work continues, views may be out of date.`,
        owner: 'the sequencer',
      }
    : null;
