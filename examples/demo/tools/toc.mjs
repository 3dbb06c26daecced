// A table of contents for each Markdown file that the task owns.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const task = JSON.parse(readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
const doctoc = ['node_modules/doctoc/doctoc.js', '--github', '--notitle', ...task.files];
const { status } = spawnSync(process.execPath, doctoc, { stdio: 'inherit' });
process.exitCode = status ?? 1;
