import { dart, elixir, swift } from './apps.ts';
import { c } from './c.ts';
import { sql, terraform } from './declared.ts';
import { go } from './go.ts';
import { javascript } from './javascript.ts';
import { jvm } from './jvm.ts';
import type { Language } from './language.ts';
import { dotnet, php } from './managed.ts';
import { others } from './others.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { haskell, lua, perl } from './scripts.ts';
import { shell } from './shell.ts';
import { julia, ocaml, r, zig } from './technical.ts';

/** Every language whose tests are read by its own words; any other is read by the common ones. */
export const languages: readonly Language[] = [
  javascript,
  python,
  go,
  rust,
  jvm,
  ruby,
  c,
  shell,
  perl,
  lua,
  haskell,
  sql,
  terraform,
  r,
  julia,
  zig,
  ocaml,
  dotnet,
  php,
  swift,
  elixir,
  dart,
];

/** The words of a file's language. Pure. */
export function languageOf(path: string): Language {
  const name = inLowerCase(path);
  return languages.find(({ files }) => files.test(name)) ?? others;
}

/** Whether a file is source of a language that is known at all. Pure. */
export function isSource(path: string): boolean {
  const name = inLowerCase(path);
  return [...languages, others].some(({ files }) => files.test(name));
}

/** A path whose ending has capitals, as in `A.TEST.JS`, without any; another as it is: capitals mean something in its name. Pure. */
export function inLowerCase(path: string): string {
  return /\.[^./]*[A-Z][^./]*$/.test(path) ? path.toLowerCase() : path;
}
