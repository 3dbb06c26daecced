import { asText } from './text.mjs';

// ---------------------------------------------------------------- protocols: reading a request
// Each reader returns { tools:[{name,schema,freeform}], turn, user (all user text), all (every text),
// stream, model }.

export const readers = {
  anthropic(b) {
    const msgs = b.messages ?? [];
    return {
      model: b.model,
      stream: b.stream === true,
      tools: (b.tools ?? []).map((t) => ({ name: t.name, schema: t.input_schema ?? {} })),
      turn: spoken(
        msgs
          .filter((m) => m.role !== 'system')
          .map((m) => ({
            model: m.role === 'assistant',
            tool:
              Array.isArray(m.content) &&
              m.content.some((c) => c.type === 'tool_result' || c.type === 'tool_use'),
          })),
      ),
      user: msgs
        .filter((m) => m.role === 'user')
        .map((m) => asText(m.content))
        .join('\n'),
      all: asText(b.system) + '\n' + msgs.map((m) => asText(m.content)).join('\n'),
    };
  },
  chat(b) {
    const msgs = b.messages ?? [];
    const of = (...roles) =>
      msgs
        .filter((m) => roles.includes(m.role))
        .map((m) => asText(m.content))
        .join('\n');
    return {
      model: b.model,
      stream: b.stream === true,
      wantsUsage: b.stream_options?.include_usage,
      tools: (b.tools ?? []).map((t) => ({
        name: t.function?.name ?? t.name,
        schema: t.function?.parameters ?? t.parameters ?? {},
      })),
      turn: msgs.filter((m) => m.role === 'assistant' && !(canned(asText(m.content)) && !m.tool_calls))
        .length,
      user: of('user'),
      all: of('system', 'developer', 'user', 'tool', 'assistant'),
    };
  },
  responses(b) {
    const items =
      typeof b.input === 'string' ? [{ type: 'message', role: 'user', content: b.input }] : (b.input ?? []);
    // Items are flat; our call ids carry the turn ("call_t3_0"), which survives reordering.
    let turn = 0;
    items.forEach((it, i) => {
      const m = /^call_t(\d+)_/.exec(it.call_id ?? '');
      if (m) turn = Math.max(turn, Number(m[1]) + 1);
      else if (it.type === 'message' && it.role === 'assistant') {
        const next = items.slice(i + 1).find((x) => x.type !== 'reasoning');
        if (!next || next.role === 'user' || next.role === 'developer') turn += 1;
      }
    });
    const of = (...roles) =>
      items
        .filter((m) => roles.includes(m.role))
        .map((m) => asText(m.content))
        .join('\n');
    return {
      model: b.model,
      stream: b.stream === true,
      turn,
      // newer Codex models get their tools as an input item and act through one JavaScript tool, `exec`
      tools: flattenTools([
        ...(b.tools ?? []),
        ...items.filter((i) => i.type === 'additional_tools').flatMap((i) => i.tools ?? []),
      ]),
      user: of('user'),
      all: (b.instructions ?? '') + '\n' + of('developer', 'system', 'user', 'assistant'),
    };
  },
  gemini(b, url) {
    const cs = b.contents ?? [];
    const of = (role) =>
      cs
        .filter((c) => (c.role ?? 'user') === role)
        .map((c) => asText(c.parts))
        .join('\n');
    return {
      model: /models\/([^:/]+)/.exec(url)?.[1],
      stream: /:streamGenerateContent/.test(url),
      tools: (b.tools ?? [])
        .flatMap((t) => t.functionDeclarations ?? [])
        .map((f) => ({ name: f.name, schema: f.parametersJsonSchema ?? f.parameters ?? {} })),
      turn: cs.filter((c) => c.role === 'model' && !canned(asText(c.parts))).length,
      user: of('user'),
      all: asText(b.systemInstruction) + '\n' + of('user') + '\n' + of('model'),
    };
  },
};

function flattenTools(tools) {
  return tools.flatMap((t) =>
    t.type === 'namespace'
      ? flattenTools(t.tools ?? []).map((x) => ({ ...x, namespace: t.name }))
      : [
          {
            name: t.name ?? t.type,
            schema: t.parameters ?? {},
            freeform: t.type === 'custom' || t.type === 'apply_patch',
            type: t.type,
          },
        ],
  );
}

// gemini-cli's family (qwen-code too) may open a chat with a canned user/model pair: not one of our turns
const canned = (text) => /^(Got it\. Thanks for the context|Understood\.)/.test(text);

function spoken(list) {
  return list.filter((m) => m.model).length;
}
