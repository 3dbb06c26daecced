import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { findIsolation } from '@baton/spawner';
import { createTools } from '../project/project.ts';
import { makeStateFolder } from '@baton/service/state-folder';
import type { Check } from './checks.ts';

/** How commands of a verification are kept apart here: tried in the state folder, since its file system decides. */
export const checkVerification: Check = async (call) => {
  const { exec } = createTools(call);
  const dir = await makeStateFolder(call.env.home)
    .then(() => mkdtemp(path.join(call.env.home, 'doctor-')))
    .catch(() => null);
  if (dir === null) return []; // the check of the state folder says why
  try {
    const found = await findIsolation({
      exec,
      env: { PATH: call.env.all['PATH'] ?? '' },
      dir,
      wish: call.env.isolation,
    });
    if (found.kind === 'overlay') {
      const how = found.namespaces.user === null ? 'mount namespaces' : 'user and mount namespaces';
      const text = `each gate runs on an overlay in ${how}; what it leaves ends with it`;
      return { name: 'verification', status: 'ok', text };
    }
    return {
      name: 'verification',
      status: 'ok',
      text: `each gate runs in a full copy of tree and set-up, which is slower (${found.why})`,
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};
