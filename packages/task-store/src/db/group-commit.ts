/** Calls that go together while others of them are on their way. */
export interface GroupOptions<Item, Answer> {
  /** How many groups may be on their way at once. */
  lanes: number;
  /** How many of one kind; as many as there are lanes when left out. */
  lanesOfKind?: number;
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

interface Waiting<Item, Answer> {
  item: Item;
  kind: string;
  keys: readonly string[];
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

/**
 * Groups calls as a group commit does: a call leaves at once while a lane is free, and those that come meanwhile leave together
 * when the next one is. Nobody waits for others to come.
 */
export function createGroup<Item, Answer>(
  options: GroupOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const { lanes, most, lanesOfKind = lanes } = options;
  let queue: Waiting<Item, Answer>[] = [];
  const flying: string[] = [];
  let due = false;

  /** The first in line that may leave: it has a lane, and nobody before it waits for the same thing. */
  function next(): Waiting<Item, Answer> | undefined {
    if (flying.length >= lanes) return undefined;
    const taken = new Set<string>();
    return queue.find(({ kind, keys }) => {
      const isFree = flying.filter((other) => other === kind).length < lanesOfKind;
      if (isFree && !keys.some((key) => taken.has(key))) return true;
      for (const key of keys) taken.add(key);
      return false;
    });
  }

  /** It and whoever can go with it; the others keep their places. */
  function groupOf(first: Waiting<Item, Answer>, size: number): Waiting<Item, Answer>[] {
    const taken = new Set<string>();
    const group: Waiting<Item, Answer>[] = [];
    const left: Waiting<Item, Answer>[] = [];
    for (const waiting of queue) {
      const { kind, keys } = waiting;
      const fits = group.length < size && kind === first.kind && !keys.some((key) => taken.has(key));
      // Also what stays behind keeps what it is about: later calls for the same thing must not overtake it.
      for (const key of keys) taken.add(key);
      (fits ? group : left).push(waiting);
    }
    queue = left;
    return group;
  }

  async function fly(kind: string, group: readonly Waiting<Item, Answer>[]): Promise<void> {
    flying.push(kind);
    try {
      const answers = await options.send(group.map(({ item }) => item));
      for (const [at, waiting] of group.entries()) waiting.resolve(answers[at] as Answer | Promise<Answer>);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    flying.splice(flying.indexOf(kind), 1);
    leave();
  }

  /** Shared out over the free lanes: callers that went in one group would come back as one, and leave the other lanes idle. */
  function depart(): void {
    for (let first = next(); first !== undefined; first = next()) {
      const share = Math.ceil(queue.length / Math.min(lanes - flying.length, lanesOfKind));
      void fly(first.kind, groupOf(first, Math.min(most, Math.max(share, fewest))));
    }
  }

  function leave(): void {
    if (due || queue.length === 0 || flying.length >= lanes) return;
    due = true;
    // Callers that were answered together ask again together: all of them are there by then.
    setImmediate(() => {
      due = false;
      depart();
    });
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, kind: options.kindOf(item), keys: options.keysOf(item), resolve, reject });
      leave();
    });
}
