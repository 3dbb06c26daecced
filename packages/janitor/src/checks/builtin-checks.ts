import type { CompletionSignal } from '@baton/contracts';
import type { CheckContext } from './check-context.ts';
import { diffPresent } from './diff-present.ts';
import { defaultMaxFileBytes, noLargeFiles } from './no-large-files.ts';
import { noRawContent } from './no-raw-content.ts';
import { checkedPath, noUnsoundFiles } from './no-unsound-files.ts';
import { noSecrets } from './no-secrets.ts';
import { ownedFiles, type OwnedFiles } from './owned-files.ts';
import type { PlannedCheck } from './planned-check.ts';

/** What is always checked of a change, whatever the plan says (docs/spec/landing.md#built-in-checks). */
export function builtinChecks(
  context: CheckContext,
  options: { signals: readonly CompletionSignal[]; maxFileBytes?: number; owned?: OwnedFiles },
): PlannedCheck[] {
  const builtin = { kind: 'builtin', required: true } as const;
  const maxBytes = options.maxFileBytes ?? defaultMaxFileBytes;
  const { owned } = options;
  return [
    { ...builtin, name: 'diff', run: () => diffPresent(context.changedPaths, options.signals) },
    ...(owned === undefined || owned.files.length === 0
      ? []
      : [
          {
            ...builtin,
            name: 'files',
            required: owned.strict,
            run: () => ownedFiles(owned.changedPaths ?? context.changedPaths, owned),
          },
        ]),
    { ...builtin, name: 'secrets', run: () => noSecrets(context) },
    { ...builtin, name: 'large-files', run: () => noLargeFiles(context, { maxBytes }) },
    { ...builtin, name: 'filters', run: () => noRawContent(context) },
    ...(context.changedPaths.some((file) => checkedPath(file) !== null)
      ? [{ ...builtin, name: 'git-fsck', run: () => noUnsoundFiles(context) }]
      : []),
  ];
}
