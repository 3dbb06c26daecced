import { parseArgs } from 'node:util';
import type { Campaign } from './campaign.ts';
import { closest } from './closest.ts';

/** What the command line asked for. */
export type Request =
  | { kind: 'list'; campaigns: readonly Campaign[] }
  | { kind: 'wrong'; message: string }
  | {
      kind: 'run';
      campaign: Campaign;
      short: boolean;
      seed: number;
      casesDir?: string;
      patchesDir?: string;
      only?: readonly string[];
      trials?: number;
      stateFile?: string;
      json: boolean;
      save: boolean;
    };

const options = {
  short: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string' },
  patches: { type: 'string' },
  only: { type: 'string' },
  trials: { type: 'string' },
  state: { type: 'string' },
  json: { type: 'boolean', default: false },
  save: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads `[name] [--short] [--seed N] [--cases DIR] [--patches DIR] [--only PART,…] [--trials N] [--state FILE] [--json] [--save] [--help]`. */
export function readRequest(args: readonly string[], campaigns: readonly Campaign[]): Request {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [name, ...more] = positionals;
    if (name === undefined) return { kind: 'list', campaigns };
    if (more.length > 0) return wrong(`One campaign at a time: "${more.join(' ')}" is too much.`);
    const campaign = campaigns.find((candidate) => candidate.name === name);
    if (!campaign) return wrong(unknownName(name, campaigns));
    if (values.help) return { kind: 'list', campaigns: [campaign] };
    if (!/^\d{1,9}$/.test(values.seed)) return wrong(`--seed takes a whole number, not "${values.seed}".`);
    if (values.cases !== undefined && campaign.cases === undefined) {
      return wrong(`${name} takes no cases from outside.`);
    }
    if (values.patches !== undefined && campaign.patches === undefined) {
      return wrong(`${name} takes no planted faults from outside.`);
    }
    if ((values.trials ?? values.state) !== undefined && campaign.adds === undefined)
      return wrong(`${name} adds nothing up: leave out --trials and --state.`);
    if (values.trials !== undefined && !/^\d{1,9}$/.test(values.trials))
      return wrong(`--trials takes a whole number, not "${values.trials}".`);
    if (values.trials !== undefined && values.short)
      return wrong('The short form has a size of its own: leave out --short or --trials.');
    const only = values.only?.split(',');
    const unknown = only?.find((part) => !campaign.parts?.includes(part.split('/')[0] ?? ''));
    if (unknown !== undefined) return wrong(unknownPart(unknown, campaign));
    if (values.save && only) return wrong('Only full runs are kept: leave out --only or --save.');
    if (values.save && values.short) return wrong('Only full runs are kept: leave out --short or --save.');
    const { short, json, save } = values;
    const cases = values.cases === undefined ? {} : { casesDir: values.cases };
    const patches = values.patches === undefined ? {} : { patchesDir: values.patches };
    return {
      kind: 'run',
      campaign,
      short,
      seed: Number(values.seed),
      json,
      save,
      ...cases,
      ...patches,
      ...(only && { only }),
      ...(values.trials !== undefined && { trials: Number(values.trials) }),
      ...(values.state !== undefined && { stateFile: values.state }),
    };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

const wrong = (message: string): Request => ({ kind: 'wrong', message });

function unknownPart(part: string, { name, parts }: Campaign): string {
  if (parts === undefined) return `${name} has no parts: leave out --only.`;
  return `${name} has no part "${part}". Parts: ${parts.join(', ')}.`;
}

function unknownName(name: string, campaigns: readonly Campaign[]): string {
  const names = campaigns.map((campaign) => campaign.name);
  const [best] = closest(name, names);
  const suggestion = best === undefined ? '' : ` Did you mean "${best}"?`;
  return `There is no campaign "${name}".${suggestion} Campaigns: ${names.join(', ')}.`;
}
