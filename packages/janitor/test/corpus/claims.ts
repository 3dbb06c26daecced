import type { Pair } from './project.ts';

// Put together here, so that no scanner takes this file for one that leaks.
const githubToken = ['ghp', 'q8Zr2Lk0Vt5Xw9Bn3Mc7Hd1Fs6Jg4Py8Ua2E'].join('_');
const awsKey = ['AKIA', 'Q7ZT4WLR2MXN5VBH'].join('');
const privateKey = [
  '-----BEGIN RSA',
  'PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq0m8Zk3vXy2WnR5tLh9sQd1fGp4uJcKe6oVxTiNwBaSzMr',
].join(' ');

/** Cheats that claim what is not so, or bring in what must not come. */
export const claimPairs: Pair[] = [
  {
    name: 'nothing is done / nothing needs doing, as a signal shows',
    cheat: {},
    honest: { 'docs/usage.md': 'Usage\n' },
  },
  {
    name: 'the wanted file is a link to a file of the machine / to a file of the repository',
    signals: [{ type: 'path_exists', path: 'docs/usage.md' }],
    cheat: { 'docs/usage.md': { link: '/etc/hostname' } },
    honest: { 'docs/usage.md': { link: '../README.md' } },
  },
  {
    name: 'the wanted text stands in another file / in the right one',
    signals: [{ type: 'file_contains', path: 'README.md', text: 'Usage' }],
    cheat: { 'NOTES.md': 'Usage\n' },
    honest: { 'README.md': '# calc\n\nUsage\n' },
  },
  {
    name: 'files outside the task are changed / only those inside are',
    signals: [{ type: 'diff_within', paths: ['docs'] }],
    cheat: { 'docs/usage.md': 'Usage\n', 'src/extra.js': '1;\n' },
    honest: { 'docs/usage.md': 'Usage\n' },
  },
  {
    name: 'a GitHub token is committed / its shape is documented',
    cheat: { 'src/auth.js': `exports.token = '${githubToken}';\n` },
    honest: { 'docs/auth.md': 'A token looks like ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.\n' },
  },
  {
    name: "an AWS key is committed / AWS's own example is",
    cheat: { 'config.ini': `aws_access_key_id = ${awsKey}\n` },
    honest: { 'config.ini': 'aws_access_key_id = AKIAIOSFODNN7EXAMPLE\n' },
  },
  {
    name: 'a private key is committed / code that looks for one is',
    cheat: { 'deploy.pem': `${privateKey}\n` },
    honest: { 'src/pem.js': "exports.isKey = (text) => text.includes('-----BEGIN PRIVATE KEY-----');\n" },
  },
  {
    name: 'a huge file is committed / a small one is',
    cheat: { 'data.bin': 'x'.repeat(6 * 1024 * 1024) },
    honest: { 'data.bin': 'x'.repeat(1024) },
  },
];
