import path from 'node:path';
import { faultMisfit } from '@baton/testkit';
import { expect, it } from 'vitest';
import { plantedFolder, readPlanted } from './campaigns/explore/planted.ts';

const root = path.join(import.meta.dirname, '../../..');
const bugs = await readPlanted(plantedFolder);

it.each(bugs)('the planted bug $name fits the sources', async ({ patch }) => {
  expect(await faultMisfit(root, patch)).toBeNull();
});
