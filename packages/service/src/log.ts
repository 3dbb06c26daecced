import { printableJson, type Log } from '@baton/contracts';
import { destination, pino } from 'pino';

/** Structured log lines on stderr, one JSON object each, in which a terminal obeys nothing; fields that look like secrets are cut out. */
export function createLog(options: { level: string; name: string }): Log {
  const stderr = destination({ fd: 2, sync: true });
  const logger = pino(
    {
      level: options.level,
      base: { name: options.name },
      redact: ['*.password', '*.token', '*.secret', '*.databaseUrl'],
    },
    { write: (line) => stderr.write(printableJson(line)) },
  );
  return {
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  };
}
