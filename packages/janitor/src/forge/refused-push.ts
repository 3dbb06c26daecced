const refused =
  'Baton never forces a push. If the remote branch has other commits, delete it there or push by hand.';

/** What helps after a push, or another command that asks a remote, failed, by what git said. Pure. */
export function pushFix(
  said: string,
  { remote, push, other = refused }: { remote: string; push: string; other?: string },
): string {
  if (
    /could not read (Username|Password)|Permission denied|Authentication failed|returned error: 40[13]|Access denied|Host key verification failed/i.test(
      said,
    )
  )
    return `Log in to ${remote}, with rights to push, so that git asks nothing: \`${push}\` must work in a terminal. Then repeat the command.`;
  if (
    /Could not resolve host|Name or service not known|Connection (refused|timed out|reset)|Network is unreachable|No route to host|Failed to connect|Couldn't connect|unable to access/i.test(
      said,
    )
  )
    return `The host of ${remote} does not answer: look at \`git remote get-url --push ${remote}\` and the network, then repeat the command.`;
  return other;
}
