import type { Found, Need, RepoFacts } from './repo-facts.ts';

/** What Go, PHP, Ruby and Elixir repositories need. Cargo, Maven, Gradle, Make and CMake fetch and build what they need themselves. */
export function otherNeeds(repo: RepoFacts): Found {
  const found = [goNeed(repo), phpNeed(repo), rubyNeed(repo), elixirNeed(repo)].filter(
    (each) => each !== null,
  );
  const missing = found.filter(({ need, tool }) => need.install !== null && !repo.tools.includes(tool));
  return {
    needs: found.filter((each) => !missing.includes(each)).map(({ need }) => need),
    warnings: missing.map(
      ({ need, tool }) => `${tool} is not in PATH, so nothing is installed (${need.reason}).`,
    ),
  };
}

interface ToolNeed {
  need: Need;
  tool: string;
}

function goNeed(repo: RepoFacts): ToolNeed | null {
  if (!repo.names.includes('go.mod')) return null;
  if (isFit(repo, 'vendor')) return { need: takenOver(['vendor']), tool: 'go' };
  if (!repo.names.includes('go.sum') || repo.names.includes('vendor')) return null;
  return { need: installed(['go', 'mod', 'download'], { reason: 'go.sum', inputs: null }), tool: 'go' };
}

function phpNeed(repo: RepoFacts): ToolNeed | null {
  if (!repo.names.includes('composer.json')) return null;
  if (isFit(repo, 'vendor')) return { need: takenOver(['vendor']), tool: 'composer' };
  if (!repo.names.includes('composer.lock') || repo.names.includes('vendor')) return null;
  const inputs = ['composer.json', 'composer.lock'];
  const command = ['composer', 'install', '--no-interaction'];
  return { need: installed(command, { reason: 'composer.lock', inputs }), tool: 'composer' };
}

function rubyNeed(repo: RepoFacts): ToolNeed | null {
  if (!repo.names.includes('Gemfile')) return null;
  const folders = ['vendor/bundle', '.bundle'].filter((folder) => isFit(repo, folder));
  if (folders.includes('vendor/bundle')) return { need: takenOver(folders), tool: 'bundle' };
  if (!repo.names.includes('Gemfile.lock')) return null;
  return { need: installed(['bundle', 'install'], { reason: 'Gemfile.lock', inputs: null }), tool: 'bundle' };
}

function elixirNeed(repo: RepoFacts): ToolNeed | null {
  if (!repo.names.includes('mix.exs')) return null;
  if (isFit(repo, 'deps')) return { need: takenOver(['deps']), tool: 'mix' };
  if (!repo.names.includes('mix.lock')) return null;
  const inputs = ['mix.exs', 'mix.lock'];
  return { need: installed(['mix', 'deps.get'], { reason: 'mix.lock', inputs }), tool: 'mix' };
}

function isFit(repo: RepoFacts, folder: string): boolean {
  return repo.installed.includes(folder) && repo.unfit[folder] === undefined;
}

function takenOver(folders: readonly string[]): Need {
  return { folders, install: null, reason: `your checkout has ${folders.join(', ')}` };
}

function installed(
  command: readonly string[],
  { reason, inputs }: { reason: string; inputs: readonly string[] | null },
): Need {
  return { folders: [], install: { command, inputs }, reason: `there is a ${reason}` };
}
