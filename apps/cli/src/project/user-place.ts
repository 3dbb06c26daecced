import type { UserPlace } from '@baton/janitor';

import type { Call } from '../terminal/call.ts';
import type { Place } from './project.ts';

/** The repository of a command, for programs that run in the user's name. */
export const userPlace = ({ env }: Pick<Call, 'env'>, { exec, root }: Place): UserPlace => ({
  ...{ exec, root },
  env: env.all,
});
