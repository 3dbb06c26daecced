export { book, budgetRoom, budgetStep, release, reserve, type Budget, type BudgetStep } from './budget.ts';
export { findModel, loadCatalog, type Catalog, type KnownModel, type UnknownModel } from './catalog.ts';
export { priceOverrides, type PriceOverrides } from './overrides.ts';
export { hasPrice, isFree, priceUsage, type Price } from './price.ts';
export { chooseTimeout, type PastDuration, type TimeoutChoice } from './choose-timeout.ts';
export { costCsv, costJson, costReport, type CostEntry, type CostGrouping, type CostRow } from './report.ts';
export type {
  InstalledAgent,
  NoRoute,
  PastAttempt,
  Route,
  RouteDecision,
  RouteInput,
} from './route-types.ts';
export { route } from './route.ts';
export { runCatalog } from './run-catalog.ts';
export { adaptiveTimeout, lifetimeMs, scopeTimeoutMs, type Timeout } from './timeout.ts';
