// ---------------------------------------------------------------- actions -> the CLI's own tools

export const WRITE = [
  'Write',
  'write_file',
  'write',
  'write_to_file',
  'create_file',
  'create',
  'Create',
  'apply_patch',
  'editor',
  'str_replace_based_edit_tool',
  'str_replace_editor',
];
export const SHELL = [
  'Bash',
  'bash',
  'run_shell_command',
  'exec_command',
  'shell_command',
  'shell',
  'run_commands',
  'local_shell',
  'execute_command',
  'run_terminal_command',
  'Execute',
  'execute',
];
const READ = ['Read', 'read_file', 'read', 'view', 'read_many_files', 'read_files'];

export const pick = (tools, names) => names.map((n) => tools.find((t) => t.name === n)).find(Boolean);
const prop = (schema, names) => names.find((n) => schema?.properties && n in schema.properties);

const addFilePatch = ({ path, content }) =>
  `*** Begin Patch\n*** Add File: ${path}\n${content
    .replace(/\n$/, '')
    .split('\n')
    .map((l) => '+' + l)
    .join('\n')}\n*** End Patch\n`;

/** A script action ({do:'write',…} or {tool,input}) as a call of a tool that this request offers. */
export function toCall(action, tools) {
  if (action.tool) {
    const t = tools.find((x) => x.name === action.tool);
    return { name: action.tool, input: action.input ?? {}, freeform: t?.freeform, namespace: t?.namespace };
  }
  const fill = (schema, input) => {
    // required parameters the script says nothing about
    for (const k of schema?.required ?? []) {
      if (k in input) continue;
      const p = schema.properties?.[k] ?? {};
      input[k] =
        p.enum?.[0] ?? { boolean: false, number: 0, integer: 0, array: [], object: {} }[p.type] ?? 'scripted';
    }
    return input;
  };
  const code = pick(tools, WRITE.concat(SHELL)) ? null : tools.find((x) => x.name === 'exec' && x.freeform);
  if (code) {
    // Codex "code mode": the call's input is JavaScript with a `tools` global
    const js =
      action.do === 'write'
        ? `text(await tools.apply_patch(${JSON.stringify(addFilePatch(action))}));`
        : `text(await tools.exec_command(${JSON.stringify({ cmd: action.do === 'read' ? `cat '${action.path}'` : action.cmd })}));`;
    return { name: code.name, input: js, freeform: true };
  }
  if (action.do === 'write') {
    const t = pick(tools, WRITE);
    if (!t) {
      // no write tool: through the shell (base64, so any content passes)
      const b64 = Buffer.from(action.content).toString('base64');
      return toCall(
        {
          do: 'shell',
          cmd: `mkdir -p "$(dirname '${action.path}')" && printf %s ${b64} | base64 -d > '${action.path}'`,
        },
        tools,
      );
    }
    if (t.name === 'apply_patch') {
      const patch = addFilePatch(action);
      if (t.freeform) return { name: t.name, input: patch, freeform: true };
      return {
        name: t.name,
        input: fill(t.schema, { [prop(t.schema, ['patchText', 'input', 'patch']) ?? 'input']: patch }),
      };
    }
    const s = t.schema;
    const input = {};
    if (prop(s, ['command']) && s.properties.command.enum?.includes('create')) input.command = 'create';
    input[prop(s, ['file_path', 'filePath', 'filepath', 'absolute_path', 'path', 'file']) ?? 'path'] =
      action.path;
    input[prop(s, ['content', 'contents', 'file_text', 'new_text', 'text']) ?? 'content'] = action.content;
    return { name: t.name, input: fill(s, input) };
  }
  if (action.do === 'shell') {
    const t = pick(tools, SHELL);
    if (!t) return null;
    const key = prop(t.schema, ['command', 'cmd', 'commands', 'script']) ?? 'command';
    const list = t.schema?.properties?.[key]?.type === 'array';
    const value = !list ? action.cmd : key === 'commands' ? [action.cmd] : ['bash', '-lc', action.cmd];
    return { name: t.name, input: fill(t.schema, { [key]: value }), localShell: t.type === 'local_shell' };
  }
  if (action.do === 'read') {
    const t = pick(tools, READ);
    if (!t) return toCall({ do: 'shell', cmd: `cat '${action.path}'` }, tools);
    return {
      name: t.name,
      input: fill(t.schema, {
        [prop(t.schema, ['file_path', 'filePath', 'filepath', 'absolute_path', 'path']) ?? 'path']:
          action.path,
      }),
    };
  }
  throw new Error(`unknown action ${JSON.stringify(action)}`);
}
