import { describe, expect, it } from 'vitest';
import { campaigns } from '../../src/campaigns.ts';

/** So many files share the campaigns, and run beside one another: the long ones are apart in the list of campaigns. */
export const parts = 5;

/** Tests the short form of every campaign whose place in the list is that of this part, counted from 0. */
export function describeShortForms(part: number): void {
  describe('the short form of a campaign', () => {
    it.each(campaigns.filter((_, at) => at % parts === part).map((each) => [each.name, each] as const))(
      '%s holds',
      async (_, campaign) => {
        const progress: string[] = [];
        const findings = await campaign.run({ short: true, seed: 1, say: (line) => progress.push(line) });
        expect(findings.broken, progress.join('\n')).toEqual([]);
        expect(findings.holds).toBe(true);
        expect(findings.table.rows.length).toBeGreaterThan(0);
        expect(JSON.parse(JSON.stringify(findings.figures))).not.toEqual({});
      },
      300_000,
    );
  });
}
