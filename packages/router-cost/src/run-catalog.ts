import { parseInput, runRouting } from '@baton/contracts';
import { loadCatalog, type Catalog } from './catalog.ts';

const mostKept = 20;
/** Catalogues by the prices laid over the price data: the same text always gives the same one. */
const kept = new Map<string, Catalog>();

/**
 * The catalogue of a run: the price data with the prices that the run's routing carries on top.
 * @throws CONFIG_INVALID for a routing of the wrong shape
 */
export function runCatalog(routing: unknown): Catalog {
  const { prices = {} } = parseInput(runRouting, routing ?? {}, {
    what: 'The routing of the repository',
    code: 'CONFIG_INVALID',
  });
  const key = JSON.stringify(prices);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const catalog = loadCatalog({ overrides: { models: prices } });
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, catalog);
  return catalog;
}
