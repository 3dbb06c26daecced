import path from 'node:path';

/**
 * Options by which git sends from a repository of this machine: settings of that repository that are for others hide no branch
 * (`transfer.hideRefs`), and offer nothing that git's own client cannot read of a shallow repository (`uploadpack.allowRefInWant`). The
 * value is a line for a shell. Nothing for a URL: there the host decides.
 */
export function senderArgs(location: string): string[] {
  if (!path.isAbsolute(location)) return [];
  const settings = "-c 'transfer.hideRefs=!refs' -c uploadpack.allowRefInWant=false";
  return [`--upload-pack=git ${settings} upload-pack`];
}
