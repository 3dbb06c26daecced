import { expect, it } from 'vitest';
import type { FoundDependencies } from './dependency.ts';
import { knownFile } from './known-files.ts';
import { readCargoLock, readCargoToml, readGoMod } from './other-files.ts';
import { readPoetryLock, readPyproject, readRequirements, readUvLock } from './python-files.ts';

const told = ({ dependencies }: FoundDependencies): string[] =>
  dependencies.map(
    ({ name, alias, version, source, integrity }) =>
      `${name}@${version}${alias === null ? '' : ` as ${alias}`} ${source.kind} ${source.url} ${integrity}`,
  );

it('a file of requirements is read with hashes, indexes, addresses, markers and continued lines', () => {
  const text = `# pinned\r
Foo.Bar==1.0 \\\r
    --hash=sha256:abc\r
plain>=2,<3 ; python_version < "4"  # why\r
with[extra] == 3.0\r
-r other.txt\r
-e ./own\r
-e git+https://example.org/g.git@v1#egg=Git_Pack\r
direct @ https://example.org/direct.whl\r
`;
  expect(told(readRequirements(text))).toEqual([
    'foo-bar@1.0 registry null true',
    'plain@>=2,<3 registry null false',
    'with@3.0 registry null false',
    'git-pack@ git git+https://example.org/g.git@v1#egg=Git_Pack false',
    'direct@ url https://example.org/direct.whl false',
  ]);
  expect(told(readRequirements('--extra-index-url https://pip.example.org/\na==1\n'))).toEqual([
    'a@1 registry https://pip.example.org/ null',
  ]);
});

it('lock files of poetry and uv are read, and packages of the repository are left out', () => {
  const poetry = `[[package]]
name = "Foo_Bar"
version = "1.0"
files = [{file = "x.whl", hash = "sha256:abc"}]

[[package]]
name = "other"
version = "2.0"

[package.source]
type = "legacy"
url = "https://pip.example.org/simple"

[[package]]
name = "own"
version = "0"
[package.source]
type = "directory"
url = "own"
`;
  expect(told(readPoetryLock(poetry))).toEqual([
    'foo-bar@1.0 registry null true',
    'other@2.0 registry https://pip.example.org/simple false',
  ]);
  const uv = `version = 1
[[package]]
name = "root"
version = "0"
source = { virtual = "." }
[[package]]
name = "a"
version = "1.0"
source = { registry = "https://pypi.org/simple" }
sdist = { url = "https://files.pythonhosted.org/a.tar.gz", hash = "sha256:abc" }
[[package]]
name = "g"
version = "1.0"
source = { git = "https://example.org/g?rev=1#abc" }
`;
  expect(told(readUvLock(uv))).toEqual([
    'a@1.0 registry https://pypi.org/simple true',
    'g@1.0 git https://example.org/g?rev=1#abc null',
  ]);
  const project = `[project]
dependencies = ["requests>=2", "g @ git+https://example.org/g.git"]
[tool.poetry.group.dev.dependencies]
Pytest = "^8"
own = { path = "own" }
[tool.poetry.dependencies]
python = "^3"
`;
  expect(readPyproject(project).direct).toEqual(['requests', 'g', 'pytest']);
});

it('files of cargo and go are read with other sources, other names and hashes', () => {
  const index = 'registry+https://github.com/rust-lang/crates.io-index';
  const cargo = `version = 4
[[package]]
name = "own"
version = "0.1.0"
[[package]]
name = "serde"
version = "1.0.0"
source = "${index}"
checksum = "abc"
[[package]]
name = "bare"
version = "1.0.0"
source = "${index}"
[[package]]
name = "g"
version = "1.0.0"
source = "git+https://example.org/g?rev=1#abc"
`;
  expect(told(readCargoLock(cargo))).toEqual([
    'serde@1.0.0 registry https://github.com/rust-lang/crates.io-index true',
    'bare@1.0.0 registry https://github.com/rust-lang/crates.io-index false',
    'g@1.0.0 git https://example.org/g?rev=1#abc null',
  ]);
  const manifest = `[dependencies]
serde = "1"
short = { package = "other", version = "2" }
own = { path = "../own" }
shared = { workspace = true }
[target.'cfg(unix)'.dependencies]
libc = "0.2"
`;
  expect(readCargoToml(manifest).direct).toEqual(['serde', 'other', 'libc']);
  const go = `module example.org/own
require example.org/a v1.0.0
require (
\texample.org/b v1.1.0 // indirect
\texample.org/c v1.2.0
\texample.org/d v1.3.0
)
replace example.org/c => ./c
replace example.org/d v1.3.0 => example.org/fork v1.3.1
`;
  const sums =
    'example.org/a v1.0.0 h1:x=\nexample.org/a v1.0.0/go.mod h1:y=\nexample.org/b v1.1.0/go.mod h1:z=\n';
  expect(told(readGoMod(go, sums))).toEqual([
    'example.org/a@v1.0.0 registry null true',
    'example.org/b@v1.1.0 registry null false',
    'example.org/fork@v1.3.1 as example.org/d url example.org/fork false',
  ]);
});

it('files are known by their names, but not those of installed packages', () => {
  const kinds = (paths: string[]) => paths.map((path) => knownFile(path)?.ecosystem ?? null);
  expect(
    kinds(['package.json', 'a/b/Cargo.lock', 'requirements-dev.txt', 'requirements/base.txt', 'x/go.mod']),
  ).toEqual(['npm', 'crates.io', 'PyPI', 'PyPI', 'Go']);
  expect(
    kinds(['node_modules/a/package.json', 'vendor/x/go.mod', 'constructor', 'my-package.json', 'toString']),
  ).toEqual([null, null, null, null, null]);
});
