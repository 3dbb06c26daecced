/** How a person's words for the next try stand in the record of the move that they came with. */
export function saying(say: string | undefined): { metadata?: { say: string } } {
  return say === undefined ? {} : { metadata: { say } };
}
