import { defineConfig } from 'tsup';
import { modules } from '../../tooling/tsconfig/tsup.ts';

const packages = ['contracts', 'fsm-core', 'plugins', 'router-cost', 'spawner', 'task-store', 'triggers'];
const paths = {
  '@baton/server/client': ['../server/dist/client.d.ts'],
  ...Object.fromEntries(
    packages.map((name) => [`@baton/${name}`, [`../../packages/${name}/dist/index.d.ts`]]),
  ),
};

/** Code and types of the server's own client in one file each: whoever installs this package installs no server. */
export default defineConfig({
  ...modules(['src/index.ts']),
  noExternal: [/^@baton\//],
  dts: { compilerOptions: { paths } },
});
