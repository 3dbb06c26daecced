import { BatonError, modelAliases, parseInput } from '@baton/contracts';
import { findProvider, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import type { z } from 'zod';
import { declaredNames } from './declared-names.ts';
import { providerOrder, resellers, snapshotAliases } from './known-models.ts';
import { priceOverrides, type PriceOverrides } from './overrides.ts';

/** A model with a place in the catalogue. That it is known does not yet mean that it has a price. */
export interface KnownModel {
  known: true;
  /** `provider/id`, unique. */
  key: string;
  id: string;
  provider: string;
  /** Size of the context window, if the data says. */
  contextTokens: number | null;
  source: 'data' | 'override';
  /** Price data in the form that the price calculator takes. */
  pricing: Provider;
}

/** An undeclared model: its price is unknown, which is never zero. */
export interface UnknownModel {
  known: false;
  reference: string;
}

/** Models by every name that was declared for them. Plain data; make it once with {@link loadCatalog}. */
export interface Catalog {
  names: ReadonlyMap<string, KnownModel>;
  /** Names that also stand for their dated snapshots, `<name>-20260131`. */
  dated: ReadonlyMap<string, KnownModel>;
}

/**
 * The models of the price data with an operator's overrides on top.
 * @throws CONFIG_INVALID for overrides with unknown keys or aliases of models that do not exist
 */
export function loadCatalog(options: { overrides?: PriceOverrides } = {}): Catalog {
  const overrides = parseInput(priceOverrides, options.overrides ?? {}, {
    what: 'The price overrides',
    code: 'CONFIG_INVALID',
  });
  const names = new Map<string, KnownModel>();
  const dated = new Map<string, KnownModel>();
  for (const provider of [...providerOrder, ...resellers]) addProvider({ names, dated }, provider);
  for (const [alias, target] of Object.entries({ ...snapshotAliases, ...modelAliases }))
    addAlias(names, alias, target);
  for (const [name, price] of Object.entries(overrides.models)) override({ names, dated }, name, price);
  for (const [alias, target] of Object.entries(overrides.aliases)) {
    names.delete(alias);
    addAlias(names, alias, target);
  }
  return { names, dated };
}

/**
 * Finds a model by exact id or declared alias, with or without `provider/`. Never by a part of its name: a guess that is
 * wrong prices another model.
 */
export function findModel(catalog: Catalog, reference: string): KnownModel | UnknownModel {
  const found = catalog.names.get(reference);
  if (found !== undefined) return found;
  const [, name] = /^(.+)-\d{8}$/.exec(reference) ?? [];
  return (name === undefined ? undefined : catalog.dated.get(name)) ?? { known: false, reference };
}

function addProvider(
  catalog: { names: Map<string, KnownModel>; dated: Map<string, KnownModel> },
  id: string,
): void {
  const provider = findProvider({ providerId: id });
  // The library also matches ids by pattern; another provider's prices would be a guess.
  if (provider === undefined || provider.id !== id) return;
  const bare = (providerOrder as readonly string[]).includes(id);
  const entries = provider.models.map((info) => ({ info, model: fromData(provider, info) }));
  const add = (map: Map<string, KnownModel>, name: string, model: KnownModel) => {
    setOnce(map, `${id}/${name}`, model);
    if (bare) setOnce(map, name, model);
  };
  // Exact ids before aliases, so that a model is never shadowed by another one's further name.
  for (const { info, model } of entries) add(catalog.names, info.id, model);
  for (const { info, model } of entries) {
    const { exact, dated } = declaredNames(info.match);
    for (const name of exact) add(catalog.names, name, model);
    for (const name of dated) add(catalog.dated, name, model);
  }
}

function fromData(provider: Provider, info: ModelInfo): KnownModel {
  return {
    known: true,
    key: `${provider.id}/${info.id}`,
    id: info.id,
    provider: provider.id,
    contextTokens: info.context_window ?? null,
    source: 'data',
    pricing: onlyModel(provider.id, { ...info, match: { equals: info.id } }),
  };
}

type Price = z.output<typeof priceOverrides>['models'][string];

function override(
  catalog: { names: Map<string, KnownModel>; dated: Map<string, KnownModel> },
  name: string,
  price: Price,
): void {
  const known = catalog.names.get(name);
  const [provider, id] = known ? [known.provider, known.id] : ['override', name];
  const prices = {
    input_mtok: price.input,
    output_mtok: price.output,
    ...(price.cache_read === undefined ? {} : { cache_read_mtok: price.cache_read }),
    ...(price.cache_write === undefined ? {} : { cache_write_mtok: price.cache_write }),
  };
  const model: KnownModel = {
    known: true,
    key: `${provider}/${id}`,
    id,
    provider,
    contextTokens: price.context ?? known?.contextTokens ?? null,
    source: 'override',
    pricing: onlyModel(provider, { id, match: { equals: id }, prices }),
  };
  catalog.names.set(name, model);
  // A model has one price, whichever of its names it is called by.
  for (const map of [catalog.names, catalog.dated]) {
    for (const [other, { key }] of map) if (key === model.key) map.set(other, model);
  }
}

function addAlias(names: Map<string, KnownModel>, alias: string, target: string): void {
  const model = names.get(target);
  if (model === undefined) {
    throw new BatonError(
      'CONFIG_INVALID',
      `The price overrides give "${alias}" as another name of "${target}", which is no known model.`,
      {
        fix: `Name a model of the catalogue, or add "${target}" under "models" with its prices.`,
        at: `aliases.${alias}`,
      },
    );
  }
  setOnce(names, alias, model);
}

function onlyModel(provider: string, model: ModelInfo): Provider {
  return { id: provider, name: provider, api_pattern: '', models: [model] };
}

function setOnce(map: Map<string, KnownModel>, name: string, model: KnownModel): void {
  if (!map.has(name)) map.set(name, model);
}
