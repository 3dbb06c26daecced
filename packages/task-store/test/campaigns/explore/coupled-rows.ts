/** What decides between two rows of one fact, besides the four states. */
export interface FactContext {
  /** The agent is on this attempt, or was on it last. */
  on: boolean;
  /** Another attempt of the session is CLAIMED or IN_PROGRESS. */
  othersOpen: boolean;
  /** Another attempt of the session is IN_PROGRESS. */
  othersBusy: boolean;
  /** It is the first of its batch that is still CLAIMED. */
  first: boolean;
}

/**
 * One row for one fact on one attempt. A machine's cell lists the ways that it may take, states joined by `→`, apart by a comma; a
 * lone state stays; `–` is any state, and stays.
 */
export interface CoupledRow {
  fact: string;
  /** Name of the row in docs/spec/kernel.md#coupled-steps. */
  row: string;
  task: string;
  turn: string;
  agent: string;
  execution: string;
  when?: (context: FactContext) => boolean;
}

const on = ({ on: isOn }: FactContext) => isOn;
const off = ({ on: isOn }: FactContext) => !isOn;
const begins = 'CLAIMING→SPAWNING→RUNNING, SPAWNING→RUNNING';
const begun = 'CLAIMING→SPAWNING→RUNNING→VERIFYING, SPAWNING→RUNNING→VERIFYING';
const claimedEnds = 'CLAIMING→FAILED→REAPED, SPAWNING→FAILED→REAPED';
const openTurnEnds = `${claimedEnds}, RUNNING→FAILED→REAPED, TOOL_USE→FAILED→REAPED, COMPACTING→FAILED→REAPED`;
const verifyingEnds = 'VERIFYING→FAILED→REAPED, IDLE';
const retried = (from: string) => `${from}→FAILED→OPEN, ${from}→FAILED`;
const given = (from: string) => `${from}→OPEN, ${from}→FAILED, ${from}→CANCELLED`;
const leaves = 'busy→idle, suspended→idle';
const idles = 'pending, starting, idle, stopped, failed';

/** Ends an open attempt: one row where its agent is on it and busy, one where it is not. */
function ending(fact: string, row: string, task: string): CoupledRow[] {
  const cells = { fact, row, task, turn: openTurnEnds, agent: '–' };
  return [
    { ...cells, execution: `${leaves}, ${idles}`, when: on },
    { ...cells, execution: '–', when: off },
  ];
}

/** A process or its supervisor is gone: by what its task stands at. */
function loss(fact: string, execution: string): CoupledRow[] {
  const row = fact === 'lease lapsed' ? 'lease lapsed' : 'process died';
  const cells = { fact, row, agent: 'nothing, starting→dead, working→dead, idle→dead', execution };
  return [
    { ...cells, task: given('CLAIMED'), turn: claimedEnds },
    { ...cells, task: 'IN_PROGRESS→ORPHANED', turn: '–' },
    { ...cells, task: 'DONE', turn: 'VERIFYING, IDLE, COMPACTING→RUNNING→VERIFYING' },
    { ...cells, task: 'PENDING_APPROVAL', turn: '–' },
  ];
}

const toFailed = 'pending→failed, starting→failed, idle→failed, busy→failed, suspended→failed, failed';
const toStopped = 'pending→failed, starting→failed, idle→stopped, busy→stopped, suspended→stopped, failed';

/**
 * The table of coupled steps, transcribed by hand from docs/spec/kernel.md#coupled-steps: the exploration holds it against
 * what the store decides, both
 * ways. A fact without a fitting row is declared impossible there.
 */
export const coupledRows: readonly CoupledRow[] = [
  {
    ...{ fact: 'set-up failed', row: 'set-up failed', task: `${given('CLAIMED')}`, turn: claimedEnds },
    ...{ agent: '–', execution: 'pending→failed, starting, idle, busy, suspended, failed' },
  },
  {
    ...{ fact: 'launched', row: 'process launched', task: 'CLAIMED', turn: 'CLAIMING→SPAWNING' },
    ...{ agent: 'nothing→starting', execution: 'pending→starting', when: ({ first }) => first },
  },
  {
    ...{ fact: 'launched', row: 'process launched', task: 'CLAIMED', turn: 'CLAIMING' },
    ...{ agent: 'nothing→starting', execution: 'pending→starting', when: ({ first }) => !first },
  },
  {
    ...{ fact: 'ready', row: 'ready, prompt sent', task: 'CLAIMED→IN_PROGRESS', turn: begins },
    ...{ agent: 'starting→working', execution: 'starting→idle→busy' },
  },
  {
    ...{ fact: 'next task', row: 'next task of the batch', task: 'CLAIMED→IN_PROGRESS', turn: begins },
    ...{ agent: 'working, idle→working', execution: 'idle→busy' },
  },
  {
    ...{
      fact: 'tool starts',
      row: 'tool call starts',
      task: 'IN_PROGRESS',
      turn: 'RUNNING→TOOL_USE, TOOL_USE',
    },
    ...{ agent: '–', execution: '–' },
  },
  {
    ...{
      fact: 'tool ends',
      row: 'tool call ends',
      task: 'IN_PROGRESS',
      turn: 'TOOL_USE→RUNNING, TOOL_USE, RUNNING',
    },
    ...{ agent: '–', execution: '–' },
  },
  {
    ...{ fact: 'compaction starts', row: 'compaction', task: 'IN_PROGRESS', agent: 'working' },
    ...{ turn: 'RUNNING→COMPACTING, TOOL_USE→RUNNING→COMPACTING', execution: 'busy→suspended', when: on },
  },
  {
    ...{
      fact: 'compaction starts',
      row: 'compaction while verifying: starts',
      task: 'DONE',
      agent: 'working, idle',
    },
    ...{ turn: 'VERIFYING→RUNNING→COMPACTING', execution: 'idle→suspended', when: on },
  },
  {
    ...{
      fact: 'compaction starts',
      row: 'compaction while verifying: starts',
      task: 'DONE',
      agent: 'working, idle',
    },
    ...{ turn: 'VERIFYING→RUNNING→COMPACTING', execution: '–', when: off },
  },
  {
    ...{ fact: 'compaction ends', row: 'compaction', task: 'IN_PROGRESS', turn: 'COMPACTING→RUNNING' },
    ...{ agent: 'working', execution: 'suspended→busy', when: on },
  },
  {
    ...{ fact: 'compaction ends', row: 'compaction while verifying: ends', task: 'DONE' },
    ...{
      turn: 'COMPACTING→RUNNING→VERIFYING',
      agent: 'working, idle',
      execution: 'suspended→idle',
      when: on,
    },
  },
  {
    ...{ fact: 'compaction ends', row: 'compaction while verifying: ends', task: 'DONE' },
    ...{ turn: 'COMPACTING→RUNNING→VERIFYING', agent: 'working, idle', execution: '–', when: off },
  },
  {
    ...{ fact: 'done', row: 'agent says done', task: 'IN_PROGRESS→DONE', agent: '–' },
    turn: 'RUNNING→VERIFYING, TOOL_USE→RUNNING→VERIFYING, COMPACTING→RUNNING→VERIFYING',
    ...{ execution: 'busy→idle, suspended→busy→idle', when: on },
  },
  {
    ...{ fact: 'done', row: 'done before ready', task: 'CLAIMED→DONE', turn: begun },
    ...{ agent: 'starting→working, working, idle→working', execution: 'starting→idle, idle' },
  },
  ...ending(
    'failed',
    'agent says failed',
    'IN_PROGRESS→FAILED→OPEN, IN_PROGRESS→FAILED, IN_PROGRESS→CANCELLED',
  ),
  ...ending('failed', 'agent says failed', 'CLAIMED→FAILED→OPEN, CLAIMED→FAILED, CLAIMED→CANCELLED'),
  ...ending('released', 'released', `${given('IN_PROGRESS')}, ${given('CLAIMED')}`),
  ...ending('cancelled', 'cancelled', 'IN_PROGRESS→CANCELLED, CLAIMED→CANCELLED'),
  ...ending('blocked', 'blocked', 'IN_PROGRESS→BLOCKED, CLAIMED→BLOCKED'),
  ...ending('decomposed', 'decomposed', 'IN_PROGRESS→WAITING_FOR_SUBTASKS, CLAIMED→WAITING_FOR_SUBTASKS'),
  {
    ...{
      fact: 'batch over',
      row: 'batch over',
      task: 'DONE',
      turn: 'VERIFYING, IDLE, COMPACTING→RUNNING→VERIFYING',
    },
    ...{ agent: 'working→dead, idle→dead', execution: 'idle→stopped, busy→stopped, suspended→stopped' },
    when: ({ othersOpen }) => !othersOpen,
  },
  {
    ...{ fact: 'batch over', row: 'batch over', task: 'PENDING_APPROVAL', turn: '–' },
    ...{ agent: 'working→dead, idle→dead', execution: 'idle→stopped, busy→stopped, suspended→stopped' },
    when: ({ othersOpen }) => !othersOpen,
  },
  {
    ...{ fact: 'rested', row: 'rests (reuse)', task: '–', turn: '–', agent: 'working→idle' },
    ...{ execution: 'idle', when: ({ othersBusy }) => !othersBusy },
  },
  ...loss('process died', toFailed),
  ...loss('process stopped', toStopped),
  ...loss('lease lapsed', toFailed),
  {
    ...{
      fact: 'orphan settled: DONE',
      row: 'orphan settled',
      task: 'ORPHANED→DONE',
      agent: 'dead',
      execution: '–',
    },
    turn: 'RUNNING→VERIFYING, TOOL_USE→RUNNING→VERIFYING, COMPACTING→RUNNING→VERIFYING',
  },
  {
    ...{ fact: 'orphan settled: OPEN', row: 'orphan settled', agent: 'dead', execution: '–' },
    ...{ task: 'ORPHANED→OPEN, ORPHANED→FAILED', turn: openTurnEnds },
  },
  {
    ...{ fact: 'orphan settled: FAILED', row: 'orphan settled', agent: 'dead', execution: '–' },
    ...{ task: retried('ORPHANED'), turn: openTurnEnds },
  },
  ...['rejected', 'conflict', 'base rejected'].map((fact) => ({
    ...{ fact, row: 'rejected', task: retried('DONE'), turn: verifyingEnds, agent: '–', execution: '–' },
  })),
  {
    ...{ fact: 'landed', row: 'landed', task: 'DONE→CLOSED', turn: 'VERIFYING→COMPLETING→REAPED, IDLE' },
    ...{ agent: '–', execution: '–' },
  },
  {
    ...{ fact: 'approval wanted', row: 'approval wanted', task: 'DONE→PENDING_APPROVAL' },
    ...{ turn: 'VERIFYING, IDLE', agent: '–', execution: '–' },
  },
  {
    ...{ fact: 'approval given: yes', row: 'approval given', task: 'PENDING_APPROVAL→DONE', turn: '–' },
    ...{ agent: '–', execution: '–' },
  },
  {
    ...{ fact: 'approval given: no', row: 'approval given', task: 'PENDING_APPROVAL→DONE→FAILED' },
    ...{ turn: verifyingEnds, agent: '–', execution: '–' },
  },
];
