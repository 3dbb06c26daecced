import { describe, expect, it } from 'vitest';
import { campaigns } from '../src/campaigns.ts';

describe('the short form of a campaign', () => {
  it.each(campaigns.map((campaign) => [campaign.name, campaign] as const))(
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
