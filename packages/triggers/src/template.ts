import type { TriggerEvent } from '@baton/contracts';
import { lookup } from './lookup.ts';

const placeholder = /\{\{([^{}]*)\}\}/g;
const fields = new Set(['source', 'deliveryId', 'kind', 'receivedAt', 'sender']);

/** What is wrong with a template, or null: only `{{event.<field>}}` and `{{event.data.<path>}}` exist. */
export function templateProblem(text: string): string | null {
  for (const [whole, name = ''] of text.matchAll(placeholder)) {
    const path = name.trim().split('.');
    const [root, field = ''] = path;
    const known =
      root === 'event' && (path.length === 2 ? fields.has(field) : path.length > 2 && field === 'data');
    if (!known)
      return `${whole} names no field of an event; use e.g. {{event.kind}} or {{event.data.branch}}`;
  }
  const rest = text.replaceAll(placeholder, '');
  return rest.includes('{{') || rest.includes('}}') ? 'a "{{" or "}}" has no counterpart' : null;
}

/** Replaces every `{{event.…}}` by what `render` makes of its name and its value (`undefined`: the event lacks it). */
export function fill(
  template: string,
  options: { event: TriggerEvent; render: (name: string, value: unknown) => string },
): string {
  return template.replaceAll(placeholder, (_, name: string) => {
    const path = name.trim();
    return options.render(path, lookup({ event: options.event }, path));
  });
}
