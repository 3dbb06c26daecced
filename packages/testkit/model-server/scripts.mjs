// ---------------------------------------------------------------- scripts

/** Accepts a list of turns, {turns}, or {scripts:[{name?,when?,turns}], side?}; returns the last form. */
export function normalise(script) {
  if (Array.isArray(script)) return { scripts: [{ turns: script }] };
  if (script.turns) return { side: script.side, scripts: [{ turns: script.turns }] };
  return script;
}

// The working directory, as the CLIs tell it to the model.
const CWD = [
  /<cwd>([^<\n]+)<\/cwd>/,
  /[Pp]rimary working directory: *`?([^\n`]+)/,
  /[Cc]urrent working directory(?: \([^)]*\))?: *`?([^\n`]+)/,
  /[Ww]orking directory: *`?([^\n`]+)/,
  /currently working in the directory: *([^\n]+)/,
  /Workspace Directories:\**\s*\n\s*- *([^\n]+)/,
  /<workingDirectory>([^<]+)</,
  /[Cc]wd: *([^\n]+)/,
  /"(?:cwd|rootPath|workspaceRoot)": *"([^"]+)"/,
  /# Current Workspace[^\n]*\n[\s\S]{0,200}?"(\/[^"]+)": *\{/,
];
export const findCwd = (all) => CWD.map((r) => r.exec(all)?.[1]?.trim()).find(Boolean) ?? '.';

export const expand = (v, vars) =>
  typeof v === 'string'
    ? v.replace(/\{\{(\w+)\}\}/g, (m, k) => vars[k] ?? m)
    : Array.isArray(v)
      ? v.map((x) => expand(x, vars))
      : v && typeof v === 'object'
        ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, expand(x, vars)]))
        : v;
