import type { AgentEvent } from '@baton/contracts';
import type {
  AgentStatus,
  AliasOf,
  cognitiveMachine,
  EventOf,
  ExecutionState,
  TaskStatus,
  turnMachine,
} from '@baton/fsm-core';
import type { FeedItem, Move, StreamItem } from './feed-item.ts';

type Camel<S extends string> = S extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Rest>>}`
  : Lowercase<S>;

type MachineHook =
  // Driven by their target: named by the state that was reached.
  | `task:${Camel<TaskStatus>}`
  | `agent:${Camel<AgentStatus>}`
  | `execution:${Camel<ExecutionState>}`
  | `run:${'running' | 'paused' | 'waiting' | 'stuck' | 'done' | 'failed' | 'cancelled'}`
  | 'run:budget'
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

/** Whether a text has the form of an observer hook; which states and events exist is the compiler's to check. */
export function isObserverHook(hook: string): boolean {
  return /^(task|agent|turn|cognitive|execution|run|stream|event):[a-z][A-Za-z0-9]*$/.test(hook);
}

function camel(name: string): string {
  return name.toLowerCase().replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
