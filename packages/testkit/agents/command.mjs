import { readTask, stepsFor } from './script.mjs';
import { runSteps } from './steps.mjs';

/** Plays an agent that takes its prompt on stdin, works, prints, and ends with an exit code. */
export async function runCommand(script) {
  const task = readTask(process.env);
  let prompt;
  const context = {
    cwd: process.cwd(),
    task,
    signal: new AbortController().signal,
    readPrompt: async () => (prompt ??= await readStdin()),
    say: (text) => print(process.stdout, text),
    frame: (text) => text,
  };
  const needsPrompt = script.tasks !== undefined && task?.key === undefined;
  const steps = stepsFor(script, { task, prompt: needsPrompt ? await context.readPrompt() : '' });
  const end = await runSteps(steps, context);
  process.exit(end?.error || (end?.stop && end.stop !== 'end_turn') ? 1 : 0);
}

async function readStdin() {
  if (process.stdin.isTTY) return '';
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function print(stream, text) {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
