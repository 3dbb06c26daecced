import { BatonError, modelAliases, printableLine } from '@baton/contracts';

const mostNamed = 12;

/**
 * The name by which a session takes a model: as it was written, without its provider, by its declared short or long name, or
 * the one listed name that begins so. Pure.
 * @param known what the session lists; none: it takes any model name
 * @throws MODEL_UNKNOWN with what the session knows
 */
export function pickModel(
  wanted: string,
  { known, takesAny }: { known: readonly string[]; takesAny: boolean },
): string {
  if (known.length === 0) return wanted;
  const names = namesOf(wanted);
  const exact = names.find((name) => known.includes(name));
  if (exact !== undefined) return exact;
  for (const name of names) {
    const [only, ...others] = known.filter((id) => id.startsWith(name));
    if (only !== undefined && others.length === 0) return only;
  }
  if (takesAny) return wanted;
  const listed = known.slice(0, mostNamed).map(printableLine).join(', ');
  throw new BatonError('MODEL_UNKNOWN', `The agent does not know the model "${printableLine(wanted)}".`, {
    fix: `It knows: ${listed}${known.length > mostNamed ? ', …' : ''}. Set \`model\` (or --model) to one of these.`,
  });
}

function namesOf(wanted: string): string[] {
  const bare = wanted.replace(/^[^/]+\//, '');
  const long = Object.hasOwn(modelAliases, bare) ? modelAliases[bare] : undefined;
  const short = Object.entries(modelAliases).flatMap(([alias, id]) => (id === bare ? [alias] : []));
  return [...new Set([wanted, bare, ...(long === undefined ? [] : [long]), ...short])];
}
