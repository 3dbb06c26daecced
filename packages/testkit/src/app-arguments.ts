import path from 'node:path';

/** The apps that are programs. */
export type App = 'cli' | 'server' | 'worker';

const apps = path.resolve(import.meta.dirname, '../../../apps');

/**
 * What Node is started with for the program of an app: from source, or what was built of it where `BATON_TEST_BUILT=1` says that it is
 * up to date, as under `npm test`. Built it is what users start, and it loads in half the time.
 *
 * @returns arguments of Node, to be followed by those of the program
 */
export function appArguments(app: App, env: Readonly<NodeJS.ProcessEnv> = process.env): string[] {
  if (env['BATON_TEST_BUILT'] === '1') return [path.join(apps, app, 'dist/main.js')];
  return ['--conditions=@baton/source', path.join(apps, app, 'src/main.ts')];
}
