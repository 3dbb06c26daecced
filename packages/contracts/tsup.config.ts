import { defineConfig } from 'tsup';
import { library } from '../../tooling/tsconfig/tsup.ts';

export default defineConfig(library(['src/index.ts', 'src/yaml.ts']));
