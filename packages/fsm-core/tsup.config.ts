import { defineConfig } from 'tsup';
import { library } from '../../tooling/tsconfig/tsup.ts';

const machines = ['task', 'agent', 'turn', 'cognitive', 'execution'].map((name) => `src/machines/${name}.ts`);

export default defineConfig(library(['src/index.ts', ...machines]));
