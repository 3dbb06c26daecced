import { agentEvent, type AgentEvent } from '@baton/contracts';
import {
  agentMachine,
  cognitiveMachine,
  executionMachine,
  taskMachine,
  turnMachine,
  type AgentStatus,
  type AliasOf,
  type EventOf,
  type ExecutionState,
  type TaskStatus,
} from '@baton/fsm-core';
import type { FeedItem, Move, StreamItem } from './feed-item.ts';

type Camel<S extends string> = S extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Rest>>}`
  : Lowercase<S>;

const runMoments = [
  'running',
  'paused',
  'waiting',
  'stuck',
  'done',
  'failed',
  'cancelled',
  'budget',
] as const;

type MachineHook =
  // Driven by their target: named by the state that was reached.
  | `task:${Camel<TaskStatus>}`
  | `agent:${Camel<AgentStatus>}`
  | `execution:${Camel<ExecutionState>}`
  | `run:${(typeof runMoments)[number]}`
  // Driven by events: named by the event, or by its second name where that says what it means.
  | `turn:${Camel<EventOf<typeof turnMachine> | AliasOf<typeof turnMachine>>}`
  | `cognitive:${Camel<EventOf<typeof cognitiveMachine>>}`
  | `${Move['machine']}:${'created' | 'refused' | 'lateReport' | 'any'}`;

type StreamHook = `stream:${Camel<AgentEvent['type']> | 'any'}`;

/** Every moment that can be observed, with what its observers get. `event:any` gets all. */
export type ObserverPayloads = { [Hook in MachineHook]: Move } & { [Hook in StreamHook]: StreamItem } & {
  'event:any': FeedItem;
};

/** `namespace:moment`, e.g. `task:closed`, `turn:toolStarted`, `stream:message`. */
export type ObserverHook = keyof ObserverPayloads;

const byEvent = new Set<Move['machine']>(['turn', 'cognitive']);

/** The hooks that an item of the feed fires. A refused move or late report changed nothing, so it fires no state's hook. */
export function hooksOf(item: FeedItem): string[] {
  const { machine } = item;
  if (machine === 'stream') return [`stream:${camel(item.event.type)}`, 'stream:any', 'event:any'];
  const always = [`${machine}:any`, 'event:any'];
  if (item.kind === 'refused') return [`${machine}:refused`, ...always];
  if (item.kind === 'late_report') return [`${machine}:lateReport`, ...always];
  // A run that is given another budget stays in its state: nothing has begun, stopped or ended.
  if (machine === 'run' && item.from === item.to) return [`run:${item.event}`, ...always];
  const moment = camel(
    byEvent.has(machine) && item.kind !== 'created' ? (item.alias ?? item.event) : item.to,
  );
  return [...(item.kind === 'created' ? [`${machine}:created`] : []), `${machine}:${moment}`, ...always];
}

/** The moments of each namespace, as {@link hooksOf} names them. */
const moments: Readonly<Record<string, readonly string[]>> = {
  task: taskMachine.states,
  agent: agentMachine.states,
  execution: executionMachine.states,
  run: runMoments,
  turn: [...turnMachine.rules.map(({ on }) => on), ...turnMachine.aliases.map(({ name }) => name)],
  cognitive: cognitiveMachine.rules.map(({ on }) => on),
};

const hooks: ReadonlySet<string> = new Set([
  ...Object.entries(moments).flatMap(([namespace, names]) =>
    [...names.map(camel), 'created', 'refused', 'lateReport', 'any'].map((name) => `${namespace}:${name}`),
  ),
  ...agentEvent.options.map(({ shape }) => `stream:${camel(shape.type.value)}`),
  ...['stream:any', 'event:any'],
]);

/** Whether there is such a hook. An observer of another one would never be called. */
export function isObserverHook(hook: string): hook is ObserverHook {
  return hooks.has(hook);
}

function camel(name: string): string {
  return name.toLowerCase().replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
