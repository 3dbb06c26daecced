import type { z } from 'zod';

/** One named statement: prepared once per connection. */
export interface Statement<Row extends z.ZodType = z.ZodType> {
  name: string;
  text: string;
  row: Row;
  /** Only reads: may be repeated by itself when the connection breaks. */
  readonly: boolean;
}
