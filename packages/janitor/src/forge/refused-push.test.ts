import { expect, test } from 'vitest';

import { pushFix } from './refused-push.ts';

test.each([
  ["fatal: could not read Username for 'https://x': terminal prompts disabled", 'Log in to origin'],
  ['git@x: Permission denied (publickey).', 'Log in to origin'],
  ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'Log in to origin'],
  ["fatal: unable to access 'https://x/': Could not resolve host: x", 'The host of origin does not answer'],
  ['ssh: connect to host x port 22: Connection refused', 'The host of origin does not answer'],
  ['! [rejected] a -> a (non-fast-forward)', 'Baton never forces a push'],
])('the way out of a failed push fits its cause: %s', (said, fix) => {
  expect(pushFix(said, { remote: 'origin', push: 'git push origin a' })).toContain(fix);
});
