/** Typed client of a Baton server. @packageDocumentation */
export {
  createBatonClient,
  type AppRouter,
  type BatonClient,
  type ClientOptions,
} from '@baton/server/client';
