/** Calls that go together while others of them are on their way. */
export interface GroupOptions<Item, Answer> {
  /** How many groups may be on their way at once. */
  lanes: number;
  /** How many of one kind; as many as there are lanes when left out. */
  lanesOfKind?: number;
  /**
   * One group at a time is cheapest. Given this, the next lane opens only once the last group has been away for so many
   * milliseconds: it waits for a lock, and others should not wait with it.
   */
  spareAfterMs?: number;
  /** Items in one group at most. */
  most: number;
  /** Only items of one kind go together. */
  kindOf(item: Item): string;
  /** What an item is about: two items about the same thing never go together. */
  keysOf(item: Item): readonly string[];
  /** Carries out a group; an answer each, in order, or what will be one. What it throws is thrown to all. */
  send(items: readonly Item[]): Promise<readonly (Answer | Promise<Answer>)[]>;
}

/** Calls that are not shared out: a statement has a price of its own, about that of eight calls in it. */
const fewest = 8;

/** A group that is on its way. `fresh`: it has not been away for long, so the others wait for its lane. */
interface Flight {
  kind: string;
  fresh: boolean;
}

interface Waiting<Item, Answer> {
  item: Item;
  kind: string;
  keys: readonly string[];
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

/** Calls of one sort: those that wait in line, and the groups that are on their way. */
interface Line<Item, Answer> {
  readonly options: GroupOptions<Item, Answer>;
  queue: Waiting<Item, Answer>[];
  readonly flying: Flight[];
  /** It is looked at in a moment. */
  due: boolean;
}

/**
 * Groups calls as a group commit does: a call leaves at once while a lane is free; calls that come while none is leave together
 * when the next one is. No call waits for others to come.
 */
export function createGroup<Item, Answer>(
  options: GroupOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const line: Line<Item, Answer> = { options, queue: [], flying: [], due: false };
  return (item) =>
    new Promise((resolve, reject) => {
      line.queue.push({ item, kind: options.kindOf(item), keys: options.keysOf(item), resolve, reject });
      leave(line);
    });
}

function isFull<Item, Answer>({ options, flying }: Line<Item, Answer>): boolean {
  return flying.length >= options.lanes || flying.at(-1)?.fresh === true;
}

/** The first in line that may leave: it has a lane, and no call before it waits for the same thing. */
function next<Item, Answer>(line: Line<Item, Answer>): Waiting<Item, Answer> | undefined {
  if (isFull(line)) return undefined;
  const { lanes, lanesOfKind = lanes } = line.options;
  const taken = new Set<string>();
  return line.queue.find(({ kind, keys }) => {
    const isFree = line.flying.filter((other) => other.kind === kind).length < lanesOfKind;
    if (isFree && !keys.some((key) => taken.has(key))) return true;
    for (const key of keys) taken.add(key);
    return false;
  });
}

/** It and the calls that can go with it; the others keep their places. */
function groupOf<Item, Answer>(
  line: Line<Item, Answer>,
  first: Waiting<Item, Answer>,
  size: number,
): Waiting<Item, Answer>[] {
  const taken = new Set<string>();
  const group: Waiting<Item, Answer>[] = [];
  const left: Waiting<Item, Answer>[] = [];
  for (const waiting of line.queue) {
    const { kind, keys } = waiting;
    const fits = group.length < size && kind === first.kind && !keys.some((key) => taken.has(key));
    // Also what stays behind keeps what it is about: later calls for the same thing must not overtake it.
    for (const key of keys) taken.add(key);
    (fits ? group : left).push(waiting);
  }
  line.queue = left;
  return group;
}

async function fly<Item, Answer>(
  line: Line<Item, Answer>,
  kind: string,
  group: readonly Waiting<Item, Answer>[],
): Promise<void> {
  const { send, spareAfterMs } = line.options;
  const flight: Flight = { kind, fresh: spareAfterMs !== undefined };
  line.flying.push(flight);
  const patience = flight.fresh ? setTimeout(() => overdue(line, flight), spareAfterMs) : undefined;
  try {
    const answers = await send(group.map(({ item }) => item));
    for (const [at, waiting] of group.entries()) waiting.resolve(answers[at] as Answer | Promise<Answer>);
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
  clearTimeout(patience);
  line.flying.splice(line.flying.indexOf(flight), 1);
  leave(line);
}

/** It waits for something: the next lane is open. */
function overdue<Item, Answer>(line: Line<Item, Answer>, flight: Flight): void {
  flight.fresh = false;
  leave(line);
}

/** Shared out over the free lanes: callers that went in one group would come back as one, and leave the other lanes idle. */
function depart<Item, Answer>(line: Line<Item, Answer>): void {
  const { lanes, most, lanesOfKind = lanes, spareAfterMs } = line.options;
  for (let first = next(line); first !== undefined; first = next(line)) {
    const open = spareAfterMs === undefined ? Math.min(lanes - line.flying.length, lanesOfKind) : 1;
    const share = Math.ceil(line.queue.length / open);
    void fly(line, first.kind, groupOf(line, first, Math.min(most, Math.max(share, fewest))));
  }
}

function leave<Item, Answer>(line: Line<Item, Answer>): void {
  if (line.due || line.queue.length === 0 || isFull(line)) return;
  line.due = true;
  // Callers that were answered together ask again together: all of them are there by then.
  setImmediate(() => {
    line.due = false;
    depart(line);
  });
}
