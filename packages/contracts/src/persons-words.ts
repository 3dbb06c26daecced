import { z } from 'zod';

import { printable } from './printable.ts';

const mostCharacters = 2_000;

/** What a person says to the agent of the next try: bounded, as it goes into a prompt, and nothing in it moves a terminal. */
export const personsWords = z.string().trim().min(1).max(mostCharacters).transform(printable);
