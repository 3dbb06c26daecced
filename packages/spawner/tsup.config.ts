import { defineConfig } from 'tsup';
import { library } from '../../tooling/tsconfig/tsup.ts';

export default defineConfig(
  library([
    ...['src/index.ts', 'src/look-at-git.ts', 'src/look-at-processes.ts'],
    ...['src/reaper-main.ts', 'src/agent-main.ts'],
  ]),
);
