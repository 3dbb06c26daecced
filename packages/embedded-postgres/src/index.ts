export { checkServer, oldestMajorVersion, type CheckServerOptions, type ServerInfo } from './check-server.ts';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start.ts';
