import type { Routing } from '@baton/contracts';
import { findModel, type Catalog } from './catalog.ts';
import { defaultLadders } from './known-models.ts';

/**
 * The model some rungs above (positive) or below a model on its ladder; null when the model is on no ladder or the
 * ladder ends. A model that was named with its provider is answered with it.
 */
export function rung(
  model: string,
  options: { by: number; routing: Routing; catalog: Catalog },
): string | null {
  const { by, routing, catalog } = options;
  const wanted = findModel(catalog, model);
  const same = (other: string) => {
    if (other === model) return true;
    const found = findModel(catalog, other);
    return wanted.known && found.known && found.key === wanted.key;
  };
  for (const ladder of [...routing.ladders, ...defaultLadders]) {
    const index = ladder.findIndex(same);
    if (index < 0) continue;
    const next = ladder[index + by];
    return next === undefined || index + by < 0 ? null : inStyleOf(model, { next, catalog });
  }
  return null;
}

function inStyleOf(model: string, options: { next: string; catalog: Catalog }): string {
  const from = findModel(options.catalog, model);
  const to = findModel(options.catalog, options.next);
  const prefixed = from.known && model.startsWith(`${from.provider}/`);
  return prefixed && to.known ? to.key : options.next;
}
