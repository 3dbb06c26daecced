export {
  createPluginBus,
  type PluginBus,
  type PluginBusOptions,
  type PluginFailure,
  type PluginReport,
} from './bus.ts';
export { builtinPlugins } from './builtin/all.ts';
export { failureText } from './failure-text.ts';
export type { FeedItem, Move, ReadItem, StreamItem } from './feed-item.ts';
export type { PluginEntry } from './host.ts';
export type { InterceptResult } from './intercept.ts';
export {
  interceptorHooks,
  type InterceptorAnswer,
  type InterceptorHook,
  type InterceptorPayloads,
} from './interceptor-hooks.ts';
export type { LaneReport } from './lane.ts';
export { loadPlugins, type ConfiguredPlugin } from './load-plugins.ts';
export type { ObserverHook, ObserverPayloads } from './observer-hooks.ts';
export type { ReadPage } from './page-reader.ts';
export {
  definePlugin,
  isPlugin,
  type HandlerContext,
  type InterceptOptions,
  type Plugin,
  type PluginApi,
  type PluginDefinition,
} from './plugin.ts';
export type { FeedSource, Pump } from './pump.ts';
