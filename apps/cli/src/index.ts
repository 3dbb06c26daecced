export { runCli, type AddCommands, type Call, type Cli, type Define } from './cli.ts';
