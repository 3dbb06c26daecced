import { describe, expect, it } from 'vitest';
import { planBlocks, planExamples, planProblems } from '../src/index.ts';

const page =
  '# A page\n\n```yaml\nname: tidy\nstages:\n  - name: one\n    steps:\n      - title: Do it\n```\n\n```yaml\ngates: []\n```\n';

describe('plans shown to readers', () => {
  it('are all accepted by the plan schema', () => {
    expect(planExamples().flatMap(planProblems)).toEqual([]);
  });

  it('are the YAML blocks that begin with a name', () => {
    expect(planBlocks(page, 'page.md').map(({ at }) => at)).toEqual(['page.md:4']);
  });

  it('are reported by page, line, key and reason when they are wrong', () => {
    const [block] = planBlocks(page.replace('title: Do it', 'titel: Do it'), 'page.md');
    const problems = block ? planProblems(block) : [];
    expect(problems.join('\n')).toMatch(/^page\.md:4: stages\.0\.steps\.0.*titel/m);
  });
});
