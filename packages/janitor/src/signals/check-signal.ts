import { commandText, printableLine, type CompletionSignal } from '@baton/contracts';
import type { CheckContext, Finding } from '../checks/check-context.ts';
import { commandSucceeds } from './command-succeeds.ts';
import { diffWithin } from './diff-within.ts';
import { fileContains } from './file-contains.ts';
import { fileNotContains } from './file-not-contains.ts';
import { globExists } from './glob-exists.ts';
import { pathExists } from './path-exists.ts';

/** Decides one completion signal on the tree. */
export async function checkSignal(context: CheckContext, signal: CompletionSignal): Promise<Finding> {
  switch (signal.type) {
    case 'path_exists':
      return pathExists(context, signal);
    case 'glob_exists':
      return globExists(context, signal);
    case 'file_contains':
      return fileContains(context, signal);
    case 'file_not_contains':
      return fileNotContains(context, signal);
    case 'command_succeeds':
      return commandSucceeds(context, signal);
    case 'diff_within':
      return diffWithin(context, signal);
    case 'llm_review':
    case 'llm_judge':
      return { passed: false, reason: 'a reviewer decides this, and none was asked' };
  }
}

/** A signal's name in verdicts, e.g. `path_exists dist/index.js`. */
export function signalName(signal: CompletionSignal): string {
  switch (signal.type) {
    case 'path_exists':
    case 'file_contains':
    case 'file_not_contains':
      return `${signal.type} ${signal.path}`;
    case 'glob_exists':
      return `${signal.type} ${signal.pattern}`;
    case 'command_succeeds':
      return `${signal.type} ${commandText(signal.command)}`.slice(0, 200);
    case 'diff_within':
      return `${signal.type} ${signal.paths.join(' ')}`.slice(0, 200);
    case 'llm_review':
      return `${signal.type} ${printableLine(signal.prompt)}`.slice(0, 200);
    case 'llm_judge':
      return `${signal.type} ${printableLine(signal.criteria)}`.slice(0, 200);
  }
}
