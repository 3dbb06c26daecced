import picomatch from 'picomatch';
import { isSource } from './languages/all.ts';
import type { ChangedFile } from './changed-file.ts';

/** Files by which a repository hides others from its tools. */
export function hidesPaths(path: string): boolean {
  return /(^|\/)\.((git|docker|eslint|prettier|stylelint|shellcheck|semgrep|test)?ignore|gitattributes)$/.test(
    path,
  );
}

/** Names that tests have in one language or another, of which a pattern for what is built or logged matches none. */
const likely = [
  ...[
    'tests/test_shop.py',
    'shop_test.go',
    'src/shop.test.ts',
    'src/shop.spec.ts',
    'test/shop.test.js',
    'tests/shop.rs',
  ],
  ...[
    'spec/shop_spec.rb',
    'test/shop_test.rb',
    'test/shop_test.exs',
    'test/shop_test.dart',
    'tests/ShopTest.php',
  ],
  ...[
    'src/test/java/ShopTest.java',
    'src/test/kotlin/ShopTest.kt',
    'Shop.Tests/ShopTests.cs',
    'test/shop.bats',
  ],
  ...['Tests/ShopTests/ShopTests.swift', 'src/__tests__/shop.ts', 'src/__snapshots__/shop.test.ts.snap'],
];
const isSnapshotName = (path: string) => path.endsWith('.snap');
const ofTests = /(^|\/)\.git(?:ignore|attributes)$/;

/** New patterns of such a file that hide what is in the repository: tools that heed it see no more of that. Pure. */
export function newlyHidden(
  file: ChangedFile,
  tracked: readonly string[],
): { at: number; pattern: string; path: string }[] {
  const old = new Set(file.before.map(({ text }) => text.trim()));
  const folder = file.path
    .split('/')
    .slice(0, -1)
    .map((part) => `${part}/`)
    .join('');
  const isOfGit = file.path.endsWith('.gitattributes');
  const inside = tracked.filter((path) => path.startsWith(folder) && path !== file.path);
  return file.added.flatMap(({ at, text }) => {
    if (text.trim() === '' || /^[#!]/.test(text.trim()) || old.has(text.trim())) return [];
    const pattern = isOfGit ? attributed(text.trim()) : text.trim();
    if (pattern === null) return [];
    const hides = matcher(pattern);
    const probe = likely.find((each) => hides(each) && !(isOfGit && isSnapshotName(each)));
    const path = inside.find((each) => hides(each.slice(folder.length)) && (!isOfGit || isSource(each)));
    if (path !== undefined) return [{ at, pattern, path }];
    // Nothing is there yet: what would be hidden are tests to come.
    return probe === undefined || !ofTests.test(file.path)
      ? []
      : [{ at, pattern, path: `tests such as ${probe}` }];
  });
}

/** The pattern of a line of attributes by which git or its viewers show, merge or read files otherwise than they are. */
function attributed(line: string): string | null {
  const [pattern = '', ...attributes] = line.split(/\s+/);
  if (pattern.startsWith('[attr]')) return '*';
  const isHiding = attributes.some((one) =>
    /^(?:-diff|binary|-text|export-ignore|export-subst|filter=|merge=|-merge|ident|linguist-generated|working-tree-encoding)/.test(
      one,
    ),
  );
  return isHiding ? pattern : null;
}

/** As git reads such a pattern: with a slash inside from the file's own folder, otherwise at any depth; a folder with all below it. */
function matcher(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^\//, '').replace(/\/+$/, '');
  if (plain === '') return () => false;
  const isPlaced = pattern.replace(/\/+$/, '').includes('/');
  const glob = isPlaced ? plain : `**/${plain}`;
  return picomatch([glob, `${glob}/**`], { dot: true });
}
