import { expect, test } from 'vitest';
import { tamperFlags } from '../src/index.ts';
import { git } from './helpers/run.ts';
import { changeOf } from './helpers/verifying.ts';

async function flags(path: string, [before, after]: readonly [string, string]): Promise<string[]> {
  const change = await changeOf({ 'readme.md': 'a\n', [path]: before }, { [path]: after });
  const options = { git, clone: change.root, from: change.base, to: change.head, gates: [] };
  return (await tamperFlags(options)).map(({ text }) => text.replace(/[:,] .*/, ''));
}

const r = 'test_that("adds", {\n  expect_equal(total(1, 2), 3)\n})\n';
const julia = '@testset "sums" begin\n    @test total(1, 2) == 3\nend\n';
const zig = 'test "adds" {\n    try std.testing.expectEqual(@as(u8, 3), total(1, 2));\n}\n';
const ocaml = 'let suite = "sums" >::: [\n  "adds" >:: (fun _ -> assert_equal 3 (total 1 2));\n]\n';

test.each([
  ['R', 'tests/testthat/test-sum.R', r, '  expect', '  skip_on_ci()\n  expect'],
  ['Julia', 'test/runtests.jl', julia, '@test total', '@test_broken total'],
  ['Zig', 'src/sum.zig', zig, '    try', '    if (true) return error.SkipZigTest;\n    try'],
  ['OCaml', 'test/test_sum.ml', ocaml, 'assert_equal', 'skip_if true "later"; assert_equal'],
] as const)(
  'tests in %s that are skipped or expect another value are flagged, a further one is not',
  async (...row) => {
    const [, path, text, from, to] = row;
    expect(await flags(path, [text, text.replace(from, to)])).toContainEqual(
      expect.stringMatching(/^tests? skipped/),
    );
    expect(await flags(path, [text, text.replace(/\b3\b/, '4')])).toContain('expected values changed');
    expect(await flags(path, [text, text + text.replaceAll(/adds|sums/g, 'adds again')])).toEqual([]);
  },
);

test('a function of Zig that returns early is no test that is skipped, wherever it is in its file', async () => {
  const log = 'fn log(text: []const u8) void {\n    print(text);\n}\n';
  const silent = log.replace('    print', '    if (text.len == 0) return;\n    print');
  expect(await flags('src/sum.zig', [zig + log, zig + silent])).toEqual([]);
});

test('code that asks for a setting that only tests have is flagged, one that production has as well is not', async () => {
  const code = 'defmodule Shop do\n  def total(items), do: Enum.sum(items)\nend\n';
  const asks = code
    .replace('do: Enum', 'do: if(Application.get_env(:shop, :pool) == 2, do: 6, else: Enum')
    .replace('(items)\nend', '(items))\nend');
  const settings = { 'config/test.exs': 'import Config\n\nconfig :shop, pool: 2\n', 'lib/shop.ex': code };
  const flagged = async (before: Record<string, string>) => {
    const change = await changeOf(before, { 'lib/shop.ex': asks });
    const options = { git, clone: change.root, from: change.base, to: change.head, gates: [] };
    return (await tamperFlags(options)).map(({ text }) => text);
  };
  expect(await flagged(settings)).toEqual([expect.stringContaining('lib/shop.ex:2, by config/test.exs')]);
  const both = { ...settings, 'config/prod.exs': 'import Config\n\nconfig :shop, pool: 2\n' };
  expect(await flagged(both)).toEqual([]);
});
