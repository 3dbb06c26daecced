import type { Ids } from './ports.ts';

/** The part of a run's short name that follows from its name: `Tidy up!` gives `tidy-up`. Pure. */
export function slugStem(name: string): string {
  const stem = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return stem === '' ? 'run' : stem;
}

/** A run's short name: `tidy-7k2f`. Four characters of base 36 tell 1.6 million runs of one name apart. */
export function runSlug(name: string, ids: Ids): string {
  const random = Number.parseInt(ids.uuid().replaceAll('-', '').slice(-10), 16);
  return `${slugStem(name)}-${random.toString(36).slice(-4).padStart(4, '0')}`;
}
