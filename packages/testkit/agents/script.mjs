import { readFileSync } from 'node:fs';

import { verbs } from './steps.mjs';

/** A mistake in the script: the agent ends with exit code 64 and says what is wrong. */
export class ScriptError extends Error {}

const scriptKeys = ['acp', 'attempts', 'ignoreSignals', 'steps', 'tasks'];
const choiceKeys = ['attempts', 'steps'];

/** Reads the script from `--script JSON|FILE`, else from the variable BATON_FAKE_SCRIPT, and checks it. */
export function loadScript(args, env) {
  const at = args.indexOf('--script');
  const given = at >= 0 ? args[at + 1] : env.BATON_FAKE_SCRIPT;
  if (!given) throw new ScriptError('no script: give --script or BATON_FAKE_SCRIPT');
  const text = given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8');
  const script = JSON.parse(text);
  checkKeys(script, scriptKeys, 'script');
  checkChoice(script, 'script');
  for (const [key, choice] of Object.entries(script.tasks ?? {})) {
    checkKeys(choice, choiceKeys, `tasks.${key}`);
    checkChoice(choice, `tasks.${key}`);
  }
  return script;
}

/**
 * The steps for one task: of `tasks` the one with the task's key (or whose key the prompt mentions), else the script
 * itself; of `attempts` the one with the attempt's number, later attempts taking the last.
 */
export function stepsFor(script, { task, prompt }) {
  const keys = Object.keys(script.tasks ?? {});
  const key = keys.find((each) => each === task?.key) ?? keys.find((each) => prompt.includes(each));
  const choice = key === undefined ? script : script.tasks[key];
  if (!choice.attempts) return choice.steps ?? [];
  const number = Math.max(1, task?.attempt ?? 1);
  return choice.attempts[Math.min(number, choice.attempts.length) - 1] ?? [];
}

/** The task as `{ id, key, title, goal, files, attempt, rejections }`, read anew each time; undefined without one. */
export function readTask(env) {
  if (!env.BATON_TASK_FILE) return undefined;
  return JSON.parse(readFileSync(env.BATON_TASK_FILE, 'utf8'));
}

function checkChoice(choice, where) {
  const lists = [...(choice.steps ? [choice.steps] : []), ...(choice.attempts ?? [])];
  for (const list of lists) for (const step of list) checkStep(step, where);
}

function checkStep(step, where) {
  const names = Object.keys(step);
  if (names.length !== 1 || !Object.hasOwn(verbs, names[0])) {
    throw new ScriptError(
      `${where}: a step has one verb of ${Object.keys(verbs).sort().join(', ')}; got ${names}`,
    );
  }
  if (names[0] === 'askPermission') {
    for (const list of [step.askPermission.ifAllowed, step.askPermission.ifRejected]) {
      for (const each of list ?? []) checkStep(each, where);
    }
  }
}

function checkKeys(value, allowed, where) {
  const unknown = Object.keys(value).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) throw new ScriptError(`${where}: unknown key ${unknown.join(', ')}`);
}
