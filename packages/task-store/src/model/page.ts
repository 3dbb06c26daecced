/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Pass as `cursor` for the next page; null at the end. */
  nextCursor: string | null;
}
