import type { AliasOf, EventOf, MachineDefinition, StateOf } from './definition.ts';

/** A plain string allows every name it might hold; a literal only itself. */
type Widen<T extends string, All extends string> = string extends T ? All : T;

type RuleOf<M extends MachineDefinition> = M['rules'][number];

type CanonicalEvent<M extends MachineDefinition, F extends string, E extends string> =
  E extends EventOf<M>
    ? E
    : M['aliases'][number] extends infer A
      ? A extends {
          readonly name: E;
          readonly as: infer Event extends string;
          readonly when: readonly (infer W)[];
        }
        ? F extends W
          ? Event
          : never
        : never
      : never;

type ExactRule<M extends MachineDefinition, F extends string, E extends string> = Extract<
  RuleOf<M>,
  { readonly from: F; readonly on: E }
>;

type GroupRule<M extends MachineDefinition, F extends string, E extends string> =
  RuleOf<M> extends infer R
    ? R extends { readonly from: { readonly group: infer G extends string }; readonly on: E }
      ? F extends M['groups'][G][number]
        ? R
        : never
      : never
    : never;

/** Precedence as in `decide`: exact, then (unless terminal) group, then any state. */
type WinningRule<M extends MachineDefinition, F extends string, E extends string> = [
  ExactRule<M, F, E>,
] extends [never]
  ? F extends M['terminal'][number]
    ? never
    : [GroupRule<M, F, E>] extends [never]
      ? ExactRule<M, '*', E>
      : GroupRule<M, F, E>
  : ExactRule<M, F, E>;

type TargetOf<R> = R extends { readonly to: infer T }
  ? T extends string
    ? T
    : T extends { readonly among: readonly (infer A extends string)[] }
      ? A
      : never
  : never;

type Cell<M extends MachineDefinition, F extends string, E extends string> = F extends string
  ? E extends string
    ? TargetOf<WinningRule<M, F, CanonicalEvent<M, F, E>>>
    : never
  : never;

/**
 * States that the table leads to from `F` on `E`: a literal for a static cell, a union for a dynamic one or for wider
 * types, `never` where no rule allows the move. A machine whose own names are not known answers with any string.
 */
export type NextState<M extends MachineDefinition, F extends string, E extends string> =
  string extends StateOf<M> ? string : Cell<M, Widen<F, StateOf<M>>, Widen<E, EventOf<M> | AliasOf<M>>>;

/** `E` if some rule allows it from `F`; else a sentence that makes the call a compile error. */
export type LegalEvent<M extends MachineDefinition, F extends string, E extends string> = [
  NextState<M, F, E>,
] extends [never]
  ? `no rule of the ${M['id']} machine leads from ${F} on ${E}`
  : E;
