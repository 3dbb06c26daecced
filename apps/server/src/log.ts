import type { Log } from '@baton/contracts';
import { destination, pino } from 'pino';

/** Structured log lines on stderr, one JSON object each; fields that look like secrets are cut out. */
export function createLog(options: { level: string; name: string }): Log {
  const logger = pino(
    {
      level: options.level,
      base: { name: options.name },
      redact: ['*.password', '*.token', '*.secret', '*.databaseUrl'],
    },
    destination({ fd: 2, sync: true }),
  );
  return {
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  };
}
