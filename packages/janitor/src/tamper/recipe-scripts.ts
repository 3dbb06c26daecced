/** The commands of a shell that a script or a file of recipes holds. Pure. */
export function recipeScript(path: string, text: string): string {
  const plain = text.replace(/^\s*#.*$/gm, '').replace(/\\\r?\n/g, ' ');
  if (/(^|\/)(?:GNU)?[Mm]akefile$|\.mk$/.test(path)) return ofLines(plain, ofMake);
  if (/[jJ]ustfile$|\.just$/.test(path)) return ofLines(plain, ofJust);
  if (/\.ya?ml$/.test(path)) return ofLines(plain, ofYaml);
  return /(^|\/)tox\.ini$/.test(path) ? ofLines(plain, ofIni) : plain;
}

function ofLines(text: string, read: (line: string) => string): string {
  return text.split(/\r?\n/).map(read).join('\n');
}

/** Variables as a shell has them; a recipe's `$$` is the shell's own. */
function variables(line: string): string {
  return line
    .replace(/\$[({](\w+)[)}]/g, (_all, name: string) => `$${name}`)
    .replace(/\$\(shell\s/g, '$(')
    .replace(/\$\$/g, '$');
}

/** A line of a Makefile: a recipe, a variable, what is included, or what a rule needs. */
function ofMake(line: string): string {
  if (line.startsWith('\t')) return variables(line.trim().replace(/^[@+-]+\s*/, ''));
  const [, included = ''] = /^\s*[-s]?include\s+(.+)$/.exec(line) ?? [];
  if (included !== '')
    return included
      .split(/\s+/)
      .map((file) => `. ${variables(file)}`)
      .join('\n');
  const [, name = '', value = ''] = /^\s*(?:export\s+)?(\w+)\s*(?::{0,2}|[?+!])=\s*(.*)$/.exec(line) ?? [];
  if (name !== '') return `${name}="${variables(value).replace(/"/g, '\\"')}"`;
  const [, needs = '', command = ''] = /^[^:=]+::?([^;=]*)(?:;(.*))?$/.exec(line) ?? [];
  return `needs ${variables(needs.trim())}\n${variables(command)}`;
}

/** A line of a justfile: what is indented is a recipe. */
function ofJust(line: string): string {
  const [, file = ''] = /^(?:import|mod)\??\s+(?:\w+\s+)?['"]([^'"]+)['"]/.exec(line) ?? [];
  if (file !== '') return `. ${file}`;
  if (/^\s/.test(line)) return line.trim().replace(/^[@-]+/, '');
  const [, name = '', value = ''] = /^(?:export\s+)?([\w-]+)\s*:=\s*(.*)$/.exec(line) ?? [];
  return name === '' ? '' : `${name}=${value}`;
}

/** A line of a list of tasks. */
function ofYaml(line: string): string {
  const command = line
    .trim()
    .replace(/^(?:-\s+)?(?:(?:cmds?|sh|vars|deps|task|\w+):\s*)?/, '')
    .replace(/^-\s+/, '');
  const [, quoted] = /^(['"])(.*)\1$/.exec(command)?.slice(1) ?? [];
  return quoted ?? command;
}

/** A line of settings with commands. */
function ofIni(line: string): string {
  return line
    .trim()
    .replace(/^[\w-]+\s*=\s*/, '')
    .replace(/^-\s+/, '');
}
