// ---------------------------------------------------------------- protocols: writing an answer
// Each writer turns { text, calls, usage, model, turn } into frames (SSE strings) and a whole body.

export const writers = {
  anthropic({ text, calls, usage, model, turn }) {
    const content = [];
    if (text) content.push({ type: 'text', text });
    calls.forEach((c, i) =>
      content.push({ type: 'tool_use', id: `toolu_t${turn}_${i}`, name: c.name, input: c.input }),
    );
    const stop = calls.length ? 'tool_use' : 'end_turn';
    const u = {
      input_tokens: usage.input - usage.cached,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cached,
      output_tokens: usage.output,
    };
    const msg = {
      id: `msg_t${turn}`,
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: stop,
      stop_sequence: null,
      usage: u,
    };
    const ev = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const frames = [
      ev('message_start', {
        message: { ...msg, content: [], stop_reason: null, usage: { ...u, output_tokens: 1 } },
      }),
    ];
    content.forEach((c, index) => {
      frames.push(
        ev('content_block_start', {
          index,
          content_block: c.type === 'text' ? { type: 'text', text: '' } : { ...c, input: {} },
        }),
      );
      const delta =
        c.type === 'text'
          ? { type: 'text_delta', text: c.text }
          : { type: 'input_json_delta', partial_json: JSON.stringify(c.input) };
      frames.push(ev('content_block_delta', { index, delta }), ev('content_block_stop', { index }));
    });
    frames.push(
      ev('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: u }),
      ev('message_stop', {}),
    );
    return {
      frames,
      body: msg,
      errorFrame: (e) =>
        ev('error', { error: { type: e.type ?? 'overloaded_error', message: e.message ?? 'Overloaded' } }),
    };
  },
  chat({ text, calls, usage, model, turn }) {
    const head = { id: `chatcmpl-t${turn}`, object: 'chat.completion.chunk', created: 1700000000, model };
    const tool_calls = calls.map((c, i) => ({
      index: i,
      id: `call_t${turn}_${i}`,
      type: 'function',
      function: { name: c.name, arguments: typeof c.input === 'string' ? c.input : JSON.stringify(c.input) },
    }));
    const finish = calls.length ? 'tool_calls' : 'stop';
    const u = {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
      completion_tokens_details: { reasoning_tokens: 0 },
    };
    const chunk = (delta, finish_reason = null, extra = {}) =>
      `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }], ...extra })}\n\n`;
    const frames = [chunk({ role: 'assistant', content: '' })];
    if (text) frames.push(chunk({ content: text }));
    if (tool_calls.length) frames.push(chunk({ tool_calls }));
    frames.push(
      chunk({}, finish),
      `data: ${JSON.stringify({ ...head, choices: [], usage: u })}\n\n`,
      'data: [DONE]\n\n',
    );
    const message = {
      role: 'assistant',
      content: text || null,
      ...(tool_calls.length ? { tool_calls } : {}),
    };
    return {
      frames,
      body: {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: u,
      },
      errorFrame: (e) =>
        `data: ${JSON.stringify({ error: { message: e.message ?? 'Overloaded', type: e.type ?? 'server_error', code: e.code ?? null } })}\n\n`,
    };
  },
  responses({ text, calls, usage, model, turn }) {
    const output = [];
    if (text)
      output.push({
        type: 'message',
        id: `msg_t${turn}`,
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      });
    calls.forEach((c, i) => {
      const id = { id: `item_t${turn}_${i}`, call_id: `call_t${turn}_${i}`, status: 'completed' };
      const ns = c.namespace ? { namespace: c.namespace } : {};
      if (c.freeform)
        output.push({
          type: 'custom_tool_call',
          ...id,
          ...ns,
          name: c.name,
          input: typeof c.input === 'string' ? c.input : JSON.stringify(c.input),
        });
      else if (c.localShell)
        output.push({ type: 'local_shell_call', ...id, action: { type: 'exec', command: c.input.command } });
      else
        output.push({
          type: 'function_call',
          ...id,
          ...ns,
          name: c.name,
          arguments: JSON.stringify(c.input),
        });
    });
    const u = {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    };
    const response = {
      id: `resp_t${turn}`,
      object: 'response',
      created_at: 1700000000,
      status: 'completed',
      model,
      output,
      usage: u,
      error: null,
    };
    let seq = 0;
    const ev = (type, data) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: seq++, ...data })}\n\n`;
    const frames = [
      ev('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } }),
    ];
    output.forEach((item, output_index) => {
      frames.push(
        ev('response.output_item.added', {
          output_index,
          item:
            item.type === 'message'
              ? { ...item, status: 'in_progress', content: [] }
              : { ...item, status: 'in_progress', ...(item.arguments ? { arguments: '' } : {}) },
        }),
      );
      if (item.type === 'message')
        frames.push(
          ev('response.output_text.delta', { output_index, item_id: item.id, content_index: 0, delta: text }),
        );
      frames.push(ev('response.output_item.done', { output_index, item }));
    });
    frames.push(ev('response.completed', { response }));
    return {
      frames,
      body: response,
      errorFrame: (e) =>
        ev('response.failed', {
          response: {
            ...response,
            status: 'failed',
            output: [],
            usage: null,
            error: { code: e.code ?? e.type ?? 'server_error', message: e.message ?? 'Overloaded' },
          },
        }),
    };
  },
  gemini({ text, calls, usage, model, turn }) {
    const parts = [];
    if (text) parts.push({ text });
    calls.forEach((c) => parts.push({ functionCall: { name: c.name, args: c.input } }));
    const usageMetadata = {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      cachedContentTokenCount: usage.cached,
      totalTokenCount: usage.input + usage.output,
    };
    const body = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata,
      modelVersion: model,
      responseId: `resp_t${turn}`,
    };
    const frames = [
      ...parts.map((p) => ({
        candidates: [{ index: 0, content: { role: 'model', parts: [p] } }],
        modelVersion: model,
        responseId: body.responseId,
      })),
      {
        candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
        usageMetadata,
        modelVersion: model,
        responseId: body.responseId,
      },
    ].map((f) => `data: ${JSON.stringify(f)}\r\n\r\n`);
    return {
      frames,
      body,
      errorFrame: (e) =>
        `data: ${JSON.stringify({ error: { code: e.status ?? 503, message: e.message ?? 'Overloaded', status: e.type ?? 'UNAVAILABLE' } })}\r\n\r\n`,
    };
  },
};

// An HTTP error as each provider words it. `e`: {status, type?, message?, retryAfter?, headers?, body?}
export function errorReply(protocol, e) {
  const headers = {
    'content-type': 'application/json',
    ...(e.retryAfter != null ? { 'retry-after': String(e.retryAfter) } : {}),
    ...e.headers,
  };
  const words = {
    400: 'Bad request',
    401: 'Invalid API key',
    403: 'Forbidden',
    404: 'Not found',
    429: 'Rate limit reached',
    500: 'Internal server error',
    503: 'Unavailable',
    529: 'Overloaded',
  };
  const message = e.message ?? words[e.status] ?? 'error';
  if (e.body !== undefined) return { headers, body: e.body };
  if (protocol === 'anthropic') {
    const type =
      e.type ??
      {
        400: 'invalid_request_error',
        401: 'authentication_error',
        403: 'permission_error',
        404: 'not_found_error',
        429: 'rate_limit_error',
        529: 'overloaded_error',
      }[e.status] ??
      'api_error';
    return {
      headers: { 'request-id': 'req_fake', ...headers },
      body: { type: 'error', error: { type, message }, request_id: 'req_fake' },
    };
  }
  if (protocol === 'gemini') {
    const status =
      e.type ??
      {
        400: 'INVALID_ARGUMENT',
        401: 'UNAUTHENTICATED',
        403: 'PERMISSION_DENIED',
        429: 'RESOURCE_EXHAUSTED',
        500: 'INTERNAL',
        503: 'UNAVAILABLE',
      }[e.status] ??
      'UNKNOWN';
    return {
      headers,
      body: { error: { code: e.status, message, status, ...(e.details ? { details: e.details } : {}) } },
    };
  }
  const type =
    e.type ?? { 401: 'invalid_request_error', 429: 'rate_limit_exceeded' }[e.status] ?? 'server_error';
  return {
    headers,
    body: {
      error: { message, type, param: null, code: e.code ?? (e.status === 401 ? 'invalid_api_key' : type) },
    },
  };
}
