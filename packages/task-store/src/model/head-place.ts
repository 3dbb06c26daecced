/** Where the head of finished work can be read: at a ref of the target's repository, or in the clone of a worker on one host. */
export type HeadPlace =
  | { at: 'repository'; ref: string }
  | { at: 'clone'; host: string; path: string; ref: string; why?: string | undefined };
