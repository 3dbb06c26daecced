import type { z } from 'zod';

/** One named statement: prepared once per connection. */
export interface Statement<Row extends z.ZodType = z.ZodType> {
  name: string;
  text: string;
  row: Row;
  /** Only reads: may be repeated by itself when the connection breaks. */
  readonly: boolean;
  /** Writes, but twice is like once: may be repeated as a read may. */
  isIdempotent?: boolean;
  /** Goes over the whole record: takes as long as it takes, and is never taken for a silent connection. */
  isLong?: boolean;
}

/** The longest that a timer takes, in milliseconds: some 24 days. */
const longestMs = 2 ** 31 - 1;

/** What a statement is to the driver: by its name, and with the time that it may take. */
export function prepared({ name, text, isLong }: Pick<Statement, 'name' | 'text' | 'isLong'>) {
  return { name, text, ...(isLong === true ? { query_timeout: longestMs } : {}) };
}
