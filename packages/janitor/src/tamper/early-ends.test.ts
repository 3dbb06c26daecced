import { expect, test } from 'vitest';
import { sourceSigns } from './source-signs.ts';

function signs(path: string, text: string, old: string[] = ['']): string[] {
  const lines = text.split('\n').map((line, at) => ({ at: at + 1, text: line }));
  return sourceSigns([
    { path, before: old.map((one) => ({ at: 1, text: one })), after: lines, removed: [], added: lines },
  ]).flags.map((flag) => flag.text);
}

test.each<[path: string, text: string]>([
  ['calc.js', 'exports.half = 1;\nprocess.exit(0);\n'],
  ['calc.js', "process.on('exit', () => {\n  process.exitCode = 0;\n});\n"],
  ['calc.py', 'import sys\nsys.exit(0)\n'],
  ['calc.py', 'import os\nos._exit(0)\n'],
  ['calc.py', 'import atexit, os\natexit.register(lambda: os._exit(0))\n'],
  ['calc.go', 'package a\nfunc init() {\n\tos.Exit(0)\n}\n'],
  ['calc.c', '__attribute__((constructor)) static void go(void) { exit(0); }\n'],
  ['calc.rb', 'exit 0\n'],
  ['calc.php', '<?php exit(0);\n'],
])('code that ends its process when it is loaded is flagged: %s %s', (path, text) => {
  expect(signs(path, text)).toEqual([expect.stringContaining('ends its process')]);
});

test.each<[path: string, text: string]>([
  ['cli.js', 'if (help) {\n  process.exit(0);\n}\n'],
  ['cli.js', "process.on('exit', () => {\n  save();\n});\nstart();\nif (done) process.exit(0);\n"],
  ['cli.py', 'import sys\nif __name__ == "__main__":\n    sys.exit(0)\n'],
  ['cli.py', 'sys.exit(main())\n'],
  ['main.go', 'package main\nfunc init() {\n\tload()\n}\nfunc main() {\n\tos.Exit(0)\n}\n'],
  ['bin/cli.js', 'run();\nprocess.exit(0);\n'],
  ['test/a.test.js', 'process.exitCode = 1;\n'],
])('a program may end as it likes: %s %s', (path, text) => {
  expect(signs(path, text)).toEqual([]);
});

test('a library of a shell that ends its process is flagged, a program is not', () => {
  const text = 'half() { echo 2; }\nexit 0\n';
  expect(signs('calc.sh', text, ['half() { echo 1; }'])).toEqual([
    expect.stringContaining('ends its process'),
  ]);
  expect(signs('calc.sh', text, ['#!/bin/sh'])).toEqual([]);
  expect(signs('calc.sh', text, [])).toEqual([]);
  expect(signs('cli.js', 'run();\nprocess.exit(0);\n', [])).toEqual([]);
});
