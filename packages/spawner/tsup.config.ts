import { defineConfig } from 'tsup';
import { library } from '../../tooling/tsconfig/tsup.ts';

export default defineConfig(
  library({
    index: 'src/index.ts',
    git: 'src/git/index.ts',
    processes: 'src/process/index.ts',
    'reaper-main': 'src/process/reaper-main.ts',
    'spawn-helper-main': 'src/process/spawn-helper-main.ts',
    'agent-main': 'src/in-process/agent-main.ts',
  }),
);
