// `npm run pack`: tarballs for npm. That of the command holds the server, the workers and all parts, for npm installs no
// tarball that another one names; what they need of others comes from the registry, Postgres for the platform as well.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Comes by `npm start` in a clone: its tools are some hundred packages. */
const leftOut = ['@baton/demo'];

/**
 * Packages of others that come with the command, with what it loads of them. From the registry they would bring compilers
 * of queries for five other databases, and TypeScript, for they name it as a peer.
 */
const fitted = {
  '@trpc/client': { of: 'apps/server' },
  '@trpc/server': { of: 'apps/server' },
  '@prisma/client': {
    of: 'packages/task-store',
    loads: /^(package\.json|LICENSE|runtime(\/(client\.|query_compiler_fast_bg\.postgresql\.).*)?)$/,
  },
};

/**
 * Packs every public package and the command into `target`. `pnpm` and `run` call programs and end the process when
 * they fail.
 *
 * @returns the tarballs: name and size in bytes, the command's first
 */
export function pack(root, { target, pnpm, run }) {
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(target).filter(isOurs)) rmSync(path.join(target, name));
  const stage = mkdtempSync(path.join(tmpdir(), 'baton-pack-'));
  try {
    const parts = collect(root, '@baton/cli');
    const publics = packagesOf(root).filter(({ manifest }) => !manifest.private);
    const names = new Set([...parts, ...publics.map(({ manifest }) => manifest.name)]);
    const packed = new Map();
    for (const { folder, manifest } of packagesOf(root).filter((one) => names.has(one.manifest.name))) {
      const into = manifest.private ? stage : target;
      pnpm(['--dir', folder, 'pack', '--pack-destination', into]);
      packed.set(manifest.name, path.join(into, tarballName(manifest)));
    }
    const whole = path.join(stage, 'package');
    unpack(packed.get('@baton/cli'), { into: whole, run });
    const bundled = parts.filter((name) => name !== '@baton/cli');
    for (const name of bundled)
      unpack(packed.get(name), { into: path.join(whole, 'node_modules', name), run });
    for (const [name, { of, loads = /(?:)/ }] of Object.entries(fitted))
      copy(path.join(root, of, 'node_modules', name), path.join(whole, 'node_modules', name), loads);
    const manifest = bundle(whole, [...bundled, ...Object.keys(fitted)]);
    run('tar', ['-czf', path.join(target, tarballName(manifest)), '-C', stage, 'package']);
    const first = tarballName(manifest);
    return [
      first,
      ...readdirSync(target)
        .filter((name) => isOurs(name) && name !== first)
        .sort(),
    ].map((name) => ({
      name,
      bytes: statSync(path.join(target, name)).size,
    }));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Every package below `packages` and `apps`. */
function packagesOf(root) {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(path.join(root, group)).map((name) => {
      const folder = path.join(root, group, name);
      return { folder, manifest: readManifest(folder) };
    }),
  );
}

/** A package and those of ours that it needs, and so on. */
function collect(root, name, found = new Set()) {
  if (found.has(name) || leftOut.includes(name)) return [...found];
  found.add(name);
  const { manifest } = packagesOf(root).find((one) => one.manifest.name === name);
  for (const needed of Object.keys(manifest.dependencies ?? {}))
    if (needed.startsWith('@baton/')) collect(root, needed, found);
  return [...found];
}

/** Copies of a package what is loaded of it. */
function copy(from, into, loads) {
  const source = realpathSync(from);
  const isLoaded = (file) =>
    file === source || loads.test(path.relative(source, file).replaceAll(path.sep, '/'));
  cpSync(source, into, { recursive: true, filter: (file) => isLoaded(file) && !file.endsWith('.map') });
}

/** Source maps stay away: they are half of the size, and Node does not read them unasked. */
function unpack(tarball, { into, run }) {
  mkdirSync(into, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
  for (const file of readdirSync(into, { recursive: true }))
    if (file.endsWith('.map')) rmSync(path.join(into, file));
}

/**
 * The command needs what its parts need, so that npm puts it where all of them find it. The parts then name nothing but
 * each other: npm takes what a bundled package needs for bundled, too, and looks for programs of other platforms in it.
 */
function bundle(folder, bundled) {
  const { private: _, devDependencies: __, scripts: ___, ...manifest } = readManifest(folder);
  const dependencies = {};
  for (const part of [folder, ...bundled.map((name) => path.join(folder, 'node_modules', name))]) {
    const own = readManifest(part);
    for (const [name, version] of Object.entries(own.dependencies ?? {})) {
      if (leftOut.includes(name)) continue;
      if (dependencies[name] !== undefined && dependencies[name] !== version)
        throw new Error(`${part} needs ${name} ${version}, another part ${dependencies[name]}.`);
      dependencies[name] = version;
    }
    const { devDependencies: ____, peerDependencies: _____, peerDependenciesMeta: ______, ...rest } = own;
    const ours = Object.entries(own.dependencies ?? {}).filter(([name]) => bundled.includes(name));
    writeManifest(part, { ...rest, dependencies: Object.fromEntries(ours) });
  }
  const whole = { ...manifest, dependencies, bundleDependencies: bundled };
  writeManifest(folder, whole);
  return whole;
}

const readManifest = (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
const writeManifest = (folder, manifest) =>
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const tarballName = ({ name, version }) => `${name.slice(1).replace('/', '-')}-${version}.tgz`;
const isOurs = (name) => /^baton-[a-z-]+-\d+\.\d+\.\d+[^/]*\.tgz$/.test(name);
