import type { Command } from 'commander';
import type { Env } from '../env.ts';
import type { Output, Streams } from './output.ts';

/** What every command is given. */
export interface Cli {
  readonly env: Env;
  /** Absolute folder that the command was called in. */
  readonly cwd: string;
  readonly streams: Streams;
  /** Aborted once the reader of stdout is gone: a command that only prints ends then. */
  readonly closed: AbortSignal;
}

/** What a command is given when it is called. */
export interface Call extends Cli {
  readonly out: Output;
}

/** Adds a command's work and the options that every command has. */
export type Define = <A extends readonly unknown[]>(command: Command, work: Work<A>) => Command;

/** How a family of commands is added to the program. */
export type AddCommands = (program: Command, define: Define) => void;

/** A command's work: an exit code, or nothing for 0. */
export type Work<A extends readonly unknown[]> = (call: Call, ...args: A) => Promise<number | void>;
