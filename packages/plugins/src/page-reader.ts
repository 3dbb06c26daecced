import type { FeedItem, ReadItem } from './feed-item.ts';

/** Reads the feed after a position, oldest first. */
export type ReadPage = (after: number, limit: number) => Promise<readonly ReadItem[]>;

/**
 * Shares pages among observers that stand at the same place, which healthy ones do: the feed is append-only and gap-free, so
 * a page that once held items never changes. Empty pages are asked for again, failed ones too.
 */
export function createPageReader(
  read: ReadPage,
  options: { limit: number },
): (after: number) => Promise<readonly FeedItem[]> {
  const pages = new Map<number, Promise<readonly FeedItem[]>>();
  return (after) => {
    const kept = pages.get(after);
    if (kept !== undefined) return kept;
    const page = read(after, options.limit).then(numbered);
    pages.set(after, page);
    const forget = () => void pages.delete(after);
    page.then((items) => {
      if (items.length === 0) forget();
    }, forget);
    for (const oldest of pages.keys()) {
      if (pages.size <= 8) break;
      pages.delete(oldest);
    }
    return page;
  };
}

function numbered(items: readonly ReadItem[]): FeedItem[] {
  const end = items.findIndex(({ position }) => position === null);
  return (end < 0 ? items : items.slice(0, end)).map((item) => freeze({ ...item }) as FeedItem);
}

/** One plugin must not be able to change what the next one sees. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
