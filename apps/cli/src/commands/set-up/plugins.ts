import { builtinPlugins, failureText, loadPlugins } from '@baton/plugins';

import type { AddCommands } from '../../terminal/call.ts';
import { table } from '../../terminal/format.ts';
import { loadConfig } from '../../plan/load-config.ts';
import { openProject } from '../../project/project.ts';
import type { RepoOption } from '../../project/with-store.ts';

/** `baton plugins list`: what extends Baton here. */
export const addPlugins: AddCommands = (program, define) => {
  const family = program
    .command('plugins')
    .description('see the plugins that baton.yaml names, and the built-in ones');
  const list = family
    .command('list')
    .description('load the configured plugins, check their options, and list them with the built-in ones')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton plugins list\n  $ baton plugins list --json');
  define(list, async (call, options: RepoOption) => {
    const project = await openProject(call, options);
    const config = await loadConfig(project.root);
    const loaded = await loadPlugins({ entries: config.plugins, resolveFrom: project.root });
    const used = loaded.map(({ plugin }, index) => ({
      name: plugin.name,
      version: plugin.version,
      from: config.plugins[index]?.name ?? plugin.name,
      used: true,
    }));
    for (const [index, { module }] of loaded.entries())
      for (const error of module?.strays ?? [])
        call.out.warn(
          `the plugin "${used[index]?.name}" did not wait for something that failed while it was loaded: ${failureText(error)}`,
        );
    const others = [...builtinPlugins.values()]
      .filter((plugin) => !used.some((item) => item.name === plugin.name))
      .map((plugin) => ({ name: plugin.name, version: plugin.version, from: 'built-in', used: false }));
    call.out.result({ plugins: [...used, ...others] }, (colors) =>
      table(
        colors,
        ['plugin', 'version', 'from', ''],
        [...used, ...others].map((item) => [
          item.name,
          item.version,
          item.from,
          item.used ? colors.green('in use') : colors.dim('not in use'),
        ]),
      ),
    );
  });
};
