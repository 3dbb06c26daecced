import { defineConfig } from 'tsup';
import { library } from '../../tooling/tsconfig/tsup.ts';

export default defineConfig(
  library({ index: 'src/index.ts', main: 'src/main.ts', state: 'src/context/state.ts' }),
);
