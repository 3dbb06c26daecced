import type { CodeLine } from './live-code.ts';

const ends: readonly { files: RegExp; sign: RegExp }[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    sign: /^process\.(?:exit|reallyExit)\(\s*0?\s*\)|^process\.(?:on|once)\(\s*['"](?:exit|beforeExit)['"][^]*?\b(?:exitCode\s*=\s*0|(?:exit|reallyExit)\(\s*0)/,
  },
  {
    files: /\.py$/,
    sign: /^(?:sys\.exit|os\._exit|exit|quit)\(\s*0?\s*\)|^raise\s+SystemExit(?:\(\s*0?\s*\))?\s*$|^atexit\.register\([^]*?\b_exit\b/m,
  },
  { files: /\.go$/, sign: /^func\s+init\(\)[^]*?\bos\.Exit\(\s*0\s*\)/ },
  {
    files: /\.(?:c|cc|cpp|cxx|h|hpp)$/,
    sign: /^(?:static\s+|void\s+)*__attribute__\s*\(\(\s*constructor[^]*?\b_?_?[eE]xit\s*\(\s*(?:0|EXIT_SUCCESS)/,
  },
  { files: /\.rb$/, sign: /^exit!?(?:[\s(]+(?:0|true)\)?)?\s*$|^at_exit\b[^]*?\bexit!?[\s(]+(?:0|true)\b/m },
  { files: /\.(?:sh|bash)$/, sign: /^exit(?:\s+0)?\s*$|^trap\s[^\n]*\bexit 0\b[^\n]*\bEXIT\b/ },
  {
    files: /\.php$/,
    sign: /^(?:<\?php\s+)?(?:(?:exit|die)(?:\(\s*0?\s*\))?\s*;|register_shutdown_function\b.*\b(?:exit|die)\b)/m,
  },
];
/** A program that people start ends as it likes. */
const started = /(^|\/)(?:bin|scripts?|examples?)\//;
const near = 4;

/** Lines by which code that is only loaded ends its process as a success. Pure. */
export function earlyEnds(
  path: string,
  { code, isProgram }: { code: readonly CodeLine[]; isProgram: boolean },
): CodeLine[] {
  const sign = ends.find(({ files }) => files.test(path))?.sign;
  if (sign === undefined || isProgram || started.test(path)) return [];
  const whole = new RegExp(sign.source, sign.flags.replace('m', ''));
  return code.filter(({ text }, at) => {
    if (/^\s/.test(text)) return false;
    // Of what follows, only what belongs to this line.
    const rest = code.slice(at + 1, at + near);
    const end = rest.findIndex((line) => /^[^\s})\]]/.test(line.text));
    const inside = rest.slice(0, end < 0 ? undefined : end).map((line) => line.text);
    return whole.test([text, ...inside].join('\n')) || sign.test(text);
  });
}
