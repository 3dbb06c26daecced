import type { Findings } from './campaign.ts';
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
  const findings = await campaign.run({ seed, say, ...rest }).catch(failed);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  if (!json) {
    console.log(`${campaign.name}: ${campaign.shows}\n`);
    console.log(`${renderTable(findings.table)}\n`);
    for (const line of findings.broken) console.log(`✗ ${line}`);
    console.log(`${findings.holds ? 'Holds' : 'Does not hold'} (${seconds} s, seed ${seed}).`);
  }
  if (keep) for (const file of await save(campaign, findings, setting(seed))) say(`kept ${file}`);
  console.log(resultLine(campaign, findings));
  return findings.holds ? 0 : 1;
}

/** A campaign that breaks down has shown nothing. */
function failed(error: unknown): Findings {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { holds: false, figures: { error: text }, table: { columns: [], rows: [] }, broken: [text] };
}

switch (request.kind) {
  case 'list':
    for (const { name, shows } of campaigns) console.log(`${name.padEnd(14)} ${shows}`);
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
