import type { UserPlace } from './as-user.ts';
import type { Forge } from './forge.ts';
import { gitHub } from './github.ts';
import { gitLab } from './gitlab.ts';

/** The program for a remote, by the name of its host; GitHub's for one that says nothing. */
export function forgeOf(place: UserPlace, url: string): Forge {
  return /gitlab/i.test(url) ? gitLab(place) : gitHub(place);
}
