import { rules } from './rules.ts';
import { chosen, report } from './report.ts';

// `pnpm check [--fix] [rule…]`. The last line of output is `N passed, N failed`.
const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('-'));

if (args.includes('--help') || args.includes('--list')) {
  for (const { name, what } of rules) console.log(`${name.padEnd(12)} ${what}`);
} else {
  process.exitCode = await report(chosen(rules, names), { fix: args.includes('--fix') });
}
