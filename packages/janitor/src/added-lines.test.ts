import { expect, test } from 'vitest';
import { parseDiff } from './added-lines.ts';

test('lines are read by file, and lines that look like headers stay lines', () => {
  const diff = `diff --git a.txt a.txt
index 1..2 100644
--- a.txt
+++ a.txt
@@ -1,2 +1,2 @@
---- old
+++ new
diff --git gone.txt gone.txt
deleted file mode 100644
--- gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git with space.txt with space.txt
--- /dev/null
+++ with space.txt\t
@@ -0,0 +1 @@
+x
\\ No newline at end of file
`;
  expect(parseDiff(diff)).toEqual([
    { path: 'a.txt', added: ['++ new'], removed: ['--- old'] },
    { path: 'gone.txt', added: [], removed: ['gone'] },
    { path: 'with space.txt', added: ['x'], removed: [] },
  ]);
});
