import type { WorkspaceSetup } from '@baton/contracts';

const defaultTimeoutMs = 600_000;

/** A set-up as one line of `baton.yaml`, e.g. `workspace: { symlink: [node_modules] }`. */
export function setupLine({ setup, setup_timeout, inputs, symlink, copy }: WorkspaceSetup): string {
  const parts = [
    ...(setup === undefined ? [] : [`setup: ${yamlList(setup)}`]),
    ...(setup_timeout === defaultTimeoutMs ? [] : [`setup_timeout: ${setup_timeout / 1000}`]),
    ...(inputs === undefined ? [] : [`inputs: ${yamlList(inputs)}`]),
    ...(symlink.length === 0 ? [] : [`symlink: ${yamlList(symlink)}`]),
    ...(copy.length === 0 ? [] : [`copy: ${yamlList(copy)}`]),
  ];
  return `workspace: { ${parts.join(', ')} }`;
}

/** A list in YAML's flow style. Words that YAML could read as something else are quoted. */
export function yamlList(words: readonly string[]): string {
  const isPlain = (word: string): boolean =>
    /^[A-Za-z_./][A-Za-z0-9_./-]*$/.test(word) &&
    !/^(true|false|null|yes|no|on|off|y|n|\.(inf|nan))$/i.test(word);
  return `[${words.map((word) => (isPlain(word) ? word : JSON.stringify(word))).join(', ')}]`;
}
