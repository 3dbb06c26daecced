export { runCli } from './cli.ts';
export { type AddCommands } from './terminal/call.ts';
export { type Define } from './terminal/call.ts';
export { type Call } from './terminal/call.ts';
export { type Cli } from './terminal/call.ts';
