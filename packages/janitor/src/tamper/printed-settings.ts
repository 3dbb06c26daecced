import type { ChangedFile, Line } from './changed-file.ts';

/** Options of runners that only say what is printed. `-v` is none: for some it prints a version and runs nothing. */
const printing =
  /(?<=^|[\s"'=,])(?:--verbose|--showlocals|--durations(?:-min)?[= ]\d+(?:\.\d+)?|--tb=(?:auto|long|short|line|native|no)|--colou?rs?(?:=\w+)?|--no-colou?rs?|--timing|--(?:test-)?reporter[= ](?:dot|verbose|spec|tap|default|list|line|min|progress)|--format[= ](?:documentation|progress)|--gtest_(?:print_time|color)=\w+|-ra|-rA)(?=\s|["',)]|$)/g;
const ofPytest = /(?<=\b(?:pytest|go test|unittest|cargo test)\b.*\s)(?:-v{1,3}|-l)(?=\s|$)/g;
const builtIn = String.raw`["'](?:dot|verbose|spec|tap|default|list|min|progress)["']`;
const keys = [
  new RegExp(String.raw`\s*,?\s*(?:["']?\breporters?["']?\s*:\s*(?:${builtIn}|\[\s*${builtIn}\s*\]))`, 'g'),
  /\s*,?\s*\b(?:colors|testdox)="(?:true|false|auto|always|never)"/g,
  /(?<![\w.-])["']?verbose["']?\s*[:=]\s*(?:true|false)\b/g,
  /^\s*(?:description|console_output_style|(?:final-)?status-level|(?:failure|success)-output)\s*=\s*["']?[\w .,-]*["']?\s*$/g,
  /^\s*reporter\s*:\s*(?:dot|spec|tap|list|min|progress)\s*$/g,
  /^\s*\w+\.(?:verbose|warning)\s*=\s*true\s*$/g,
  /^\s*junit\.jupiter\.displayname\.generator\.default\s*=\s*org\.junit\.jupiter\.api\.DisplayNameGenerator\$\w+\s*$/g,
  // How much memory there is changes no result but that of too little.
  /(?:^|(?<=\s))-Xm[sx]\d+[kmgKMG]\b/g,
];

/** A command, or a line of settings, without what only says how results are printed. Pure. */
export function plainCommand(text: string): string {
  const plain = text.replace(printing, '').replace(ofPytest, '');
  return keys
    .reduce((all, key) => all.replace(key, ''), plain)
    .replace(/\s+(?=["')\]}]|$)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/([[{(]) ?, ?/g, '$1')
    .replace(/, ?([\]})])/g, '$1')
    .replace(/^,$/, '')
    .trim();
}

/** Whether the changed lines of settings differ only by how results are printed, or by comments. Pure. */
export function isPrintedOtherwise(file: ChangedFile): boolean {
  const { path, before, added, removed } = file;
  if (before.length === 0 || added.length + removed.length === 0) return false;
  const says = isAboutCargo(path) ? sayLess : plainCommand;
  const remark = remarksOf(file);
  const plain = (lines: readonly Line[]) =>
    lines
      .filter(({ text }) => !remark(text))
      .map(({ text }) => says(text))
      .filter((text) => text !== '');
  const [was, now] = [plain(removed), plain(added)];
  return was.length === now.length && now.every((text, nth) => text === was[nth]);
}

function isAboutCargo(path: string): boolean {
  return /(^|\/)\.cargo\/config(?:\.toml)?$/.test(path);
}

/** The same of a line of Cargo's settings, where two words are about its output alone. */
function sayLess(text: string): string {
  return plainCommand(text.replace(/^\s*(?:quiet|color)\s*=\s*["']?\w+["']?\s*$/, ''));
}

/** What instructs a tool, though it looks like a comment. */
const directive =
  /\/\*|\*\/|\b(?:noqa|pragma|disable|enable|ignore|ignored?|exclude|nolint|shellcheck|istanbul|c8|syntax|escape|type|coverage|skip|off|vim|region)\b|[:=@[\]]|\\$/i;

/** What a service runs with its own rights: there every edit is for a person. */
const pipelines =
  /^\.(?:github|circleci|buildkite|woodpecker)\/|(^|\/)(?:\.gitlab-ci|\.travis|\.drone|\.cirrus|azure-pipelines|bitbucket-pipelines|cloudbuild|\.?appveyor)\.ya?ml$|(^|\/)(?:Jenkinsfile|Earthfile|baton\.yaml)$/;

const withHashes =
  /\.(?:ya?ml|toml|ini|cfg|properties|neon|mk|cmake|editorconfig|rspec)$|(^|\/)(?:(?:GNU)?[Mm]akefile|CMakeLists\.txt|\.flake8)$|rc$/;
const withSlashes = /\.(?:[cm]?[jt]s|jsonc|json5|groovy|kts|gradle)$/;
/** A line that the next one continues: by a backslash, folded, in quotes, in a text of several lines. */
const open = /\\\s*$|[:|]\s*>[-+\d]*\s*$|"""|'''|<<|`|[:=-]\s*(["'])(?:(?!\1).)*$/;

/** Which lines of a file are comments for people, and not part of a command or a text that continues. */
function remarksOf({ path, before, after }: ChangedFile): (text: string) => boolean {
  const begins = withSlashes.test(path) ? '//' : withHashes.test(path) ? '#' : null;
  const goesOn = [...before, ...after].some(({ text }) => open.test(text));
  return (text) => {
    const line = text.trim();
    if (begins === null || goesOn || pipelines.test(path)) return false;
    return line.startsWith(begins) && !directive.test(line.slice(begins.length));
  };
}
