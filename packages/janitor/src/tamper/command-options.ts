import type { ProgramKind } from './command-programs.ts';

/** The value of an option, and what its program does with it. */
export interface OptionValue {
  /** Where its word is. */
  at: number;
  text: string;
  /** Whether it is loaded as code, also without its ending. */
  isRun: boolean;
  isModule: boolean;
}

/** Options that name what is worked on, or where results go. */
const subjects =
  /^(?:o|out\S*|dest\S*|d|data|i|input\S*|entry\S*|app|e|target|cov\S*|source|src|related|testPathPattern\S*|grep|g|k|m|t|n|j|w|name|max\S*|min\S*|level|port|host|base|browser|crate-(?:type|name)|edition|std|color|colour)$/;
/** Options that take no value: what follows is worked on. */
const flags =
  /^(?:no[-A-Z]\S*|noout|noEmit|fix\S*|write|strict\S*|quiet|verbose|silent|list\S*|bundle|minify|watch|run|all\S*|only\S*|force\S*|dry\S*|diff|stat|exit\S*|help|version|cache|ci|json|allow\S*|disallow\S*|warn\S*|show\S*|skip\S*|recursive|in-?place|stdin|staged|cached|fail\S*|exclude\S*|ignore-(?:missing|errors)\S*|doctest-\S*|debug|check\S*|test|yes|unsafe\S*|preview|safe|lib|standalone|emit\S*|incremental|pretty|werror|Werror|dts|sourcemap|coverage|pylint)$/;
/** Options with one dash that take a setting. */
const longSettings =
  /^(?:exec|overlay|include|imacros|vettool|toolexec|modfile|specs|conf\S*|init\S*|plugin\S*|rules\S*|settings|bootstrap|require|import|script\S*|cp|classpath|jar|propertyfile|buildfile)$/;
const compiler =
  /^(?:.*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc|ld|as|nasm|rustc|javac|kotlinc|swiftc|ghc|zig)(?:-[\d.]+)?$/;
const code =
  /(?:^|-)(?:r|require|import|preload|loader|plugins?|setup\S*|bootstrap|file|parser|formatter|reporters?)$/;

/** Whether what follows an option of a program decides what the program does. */
function takesSetting(option: string, { name, kind }: { name: string; kind: ProgramKind }): boolean {
  const isLong = option.startsWith('--');
  const key = option.replace(/^--?/, '');
  if (subjects.test(key)) return false;
  if (isLong) return !flags.test(key);
  if (key.length > 1) return longSettings.test(key);
  if (name === '') return /^[ap]$/.test(key);
  if (/^(?:pip3?|uv|poetry)$/.test(name)) return false;
  if (key === 'c' && /^(?:node|nodejs|ruby|perl)$/.test(name)) return false;
  if (compiler.test(name) || name === 'prettier' || name === 'shfmt') return false;
  if (/^(?:docker|podman)(?:-compose)?$/.test(name)) return key === 'c';
  return /^[cfprP]$/.test(key) || (key === 's' && kind !== 'checker');
}

/** The values of a program's options that decide what it does. Pure. */
export function settingsOf(
  texts: readonly string[],
  { from, to = texts.length, name, kind }: { from: number; to?: number; name: string; kind: ProgramKind },
): OptionValue[] {
  return texts.slice(from, to).flatMap((text, index): OptionValue[] => {
    const at = from + index;
    if (text.startsWith('@') && text.length > 1)
      return [{ at, text: text.slice(1), isRun: false, isModule: false }];
    const own = ownValue(text, { name, kind });
    if (own !== null) return [{ at, ...own, isModule: isModule(own.option, name) }];
    const option = texts[at - 1] ?? '';
    if (text.startsWith('-') || at === from || !/^--?[A-Za-z]/.test(option) || option.includes('='))
      return [];
    if (!takesSetting(option, { name, kind })) return [];
    return [{ at, text, isRun: code.test(option), isModule: isModule(option, name) }];
  });
}

function isModule(option: string, name: string): boolean {
  return name === 'pytest' && /^(?:-p|--plugin)$/.test(option);
}

/** The value within the word of its option, or that a word gives to a variable. */
function ownValue(
  text: string,
  program: { name: string; kind: ProgramKind },
): { option: string; text: string; isRun: boolean } | null {
  const [, option = '', value = ''] = /^(--?[A-Za-z][\w.-]*)=(.+)$/s.exec(text) ?? [];
  if (option !== '')
    return takesSetting(option, program) ? { option, text: value, isRun: code.test(option) } : null;
  const [, letter = '', attached = ''] = /^(-[rfpcs])([\w./].*)$/.exec(text) ?? [];
  const isFile = /[./]/.test(attached) || (/^g?make$/.test(program.name) && letter === '-f');
  if (letter !== '' && isFile)
    return takesSetting(letter, program)
      ? { option: letter, text: attached, isRun: code.test(letter) }
      : null;
  const [, given = ''] = /^[A-Za-z_]\w*=(.+)$/s.exec(text) ?? [];
  return given === '' ? null : { option: '', text: given, isRun: false };
}
