import type { Campaign, Findings } from './campaign.ts';
import { campaigns } from './campaigns.ts';
import { readRequest, type Request } from './command-line.ts';
import { renderTable, resultLine } from './print.ts';
import { save, setting } from './save.ts';

// `pnpm evidence [name] [--short] [--seed N] [--cases DIR] [--patches DIR] [--only PART,…] [--trials N] [--state FILE] [--json] [--save]`: the front door of every claim.
const request = readRequest(process.argv.slice(2), campaigns);

async function run({
  campaign,
  json,
  save: keep,
  seed,
  ...rest
}: Extract<Request, { kind: 'run' }>): Promise<number> {
  const say = (line: string) => {
    if (!json) console.error(line);
  };
  const startedMs = performance.now();
  const interrupted = campaign.isInterruptible ? interruption(say) : undefined;
  const findings = await campaign
    .run({ seed, say, ...rest, ...(interrupted && { interrupted }) })
    .catch(failed);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  if (!json) {
    console.log(`${campaign.name}: ${campaign.shows}\n`);
    console.log(`${renderTable(findings.table)}\n`);
    for (const line of findings.broken) console.log(`✗ ${line}`);
    console.log(`${findings.holds ? 'Holds' : 'Does not hold'} (${seconds} s, seed ${seed}).`);
  }
  // A run that was cut short is not worth keeping.
  if (keep && !interrupted?.aborted)
    for (const file of await save(campaign, findings, setting(seed))) say(`kept ${file}`);
  console.log(resultLine(campaign, findings));
  return findings.holds ? 0 : 1;
}

/** One line for the list of all; all that is to know of one that was asked for. */
function describeCampaign(
  campaign: Campaign,
  { campaigns: listed }: { campaigns: readonly Campaign[] },
): string {
  const { name, shows, cases, patches, parts, adds } = campaign;
  const line = `${name.padEnd(14)} ${shows}`;
  if (listed.length > 1) return line;
  const options = {
    '--cases DIR': cases,
    '--patches DIR': patches,
    '--only PART,…': parts?.join(', '),
    '--trials N': adds,
  };
  const told = Object.entries(options).flatMap(([option, text]) =>
    text === undefined ? [] : [`  ${option.padEnd(13)} ${text}`],
  );
  return [line, ...told].join('\n');
}

/** Aborted at the first signal to end. Others are waited out: what takes long is the cleaning up. */
function interruption(say: (line: string) => void): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (!controller.signal.aborted) say(`${name}: ends what runs, then tells what there is.`);
      controller.abort(name);
    });
  return controller.signal;
}

/** A campaign that breaks down has shown nothing. */
function failed(error: unknown): Findings {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { holds: false, figures: { error: text }, table: { columns: [], rows: [] }, broken: [text] };
}

switch (request.kind) {
  case 'list':
    for (const campaign of request.campaigns) console.log(describeCampaign(campaign, request));
    console.log(
      '\npnpm evidence <name> [--short] [--seed N] [--cases DIR] [--patches DIR] [--only PART,…] [--trials N] [--state FILE] [--json] [--save]',
    );
    break;
  case 'wrong':
    console.error(request.message);
    process.exitCode = 2;
    break;
  case 'run':
    process.exitCode = await run(request);
    break;
}
