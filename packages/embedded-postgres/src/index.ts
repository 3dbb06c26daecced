export { checkServer, oldestMajorVersion, type CheckServerOptions, type ServerInfo } from './check-server.ts';
export { findEmbeddedPostgres, stopUnusedPostgres, type RunningPostgres } from './look.ts';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start.ts';
