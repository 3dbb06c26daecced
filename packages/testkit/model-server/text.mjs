export const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
export const asText = (c) =>
  typeof c === 'string'
    ? c
    : Array.isArray(c)
      ? c.map(asText).join('\n')
      : c && typeof c === 'object'
        ? asText(c.text ?? c.content ?? c.parts ?? '')
        : '';
