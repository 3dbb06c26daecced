/** Something that may be left behind where a tree lies. */
export interface Write {
  /** One word or a few, unique. */
  name: string;
  /** A line of shell, run with the tree (or what looks like one) as its folder. */
  line: string;
}

const evil = `printf '#!/bin/sh\\nexit 0\\n'`;
const wrongNo = `printf '#!/bin/sh\\nexit 1\\n'`;

/** What is left, by kind of place: set-up folders, ignored and other files, git's records, temporary files, links, rights. */
export const writes: readonly Write[] = [
  { name: 'linter always green', line: `${evil} >node_modules/.bin/check` },
  { name: 'linter always red', line: `${wrongNo} >node_modules/.bin/check` },
  { name: 'made tool always green', line: `${evil} >gen/check` },
  {
    name: 'linter replaced, old time kept',
    line: `touch -r node_modules/.bin/check t; ${evil} >node_modules/.bin/check; touch -r t node_modules/.bin/check; rm -f t`,
  },
  { name: 'linter deleted', line: 'rm -f node_modules/.bin/check' },
  { name: 'packages deleted', line: 'rm -rf node_modules' },
  {
    name: 'packages behind a link',
    line: `mkdir -p other/.bin; ${evil} >other/.bin/check; rm -rf node_modules; ln -s other node_modules`,
  },
  {
    name: 'packages renamed',
    line: 'mv node_modules node_modules.old; mkdir -p node_modules/.bin; printf "exit 0" >node_modules/.bin/check',
  },
  { name: 'packages a file', line: 'rm -rf node_modules; echo x >node_modules' },
  { name: 'packages without rights', line: 'chmod 000 node_modules/.bin' },
  { name: 'packages read-only', line: `${evil} >node_modules/.bin/check; chmod -R a-w node_modules` },
  { name: 'linter by a hard link', line: `${evil} >evil; ln -f evil node_modules/.bin/check` },
  { name: 'rules beside the linter', line: 'echo "exit 0" >node_modules/.bin/rules' },
  { name: 'ignored switch', line: 'echo x >.lintignore' },
  { name: 'ignored result of a cache', line: 'mkdir -p cache; echo 0 >cache/result' },
  { name: 'ignored red of a cache', line: 'mkdir -p cache; echo 1 >cache/result' },
  { name: 'untracked switch', line: 'echo x >skip.flag' },
  { name: 'untracked red', line: 'echo x >red.flag' },
  { name: 'switch in a new folder', line: 'mkdir -p conf/deep; echo x >conf/deep/skip' },
  { name: 'temporary file', line: 'echo x >"${TMPDIR:-.}/skip"' },
  { name: 'tracked file mended', line: 'echo fine >src/a.txt' },
  { name: 'tracked file broken', line: 'echo BUG >src/b.txt' },
  { name: 'tracked test rewritten', line: 'echo "exit 0" >test.sh' },
  { name: 'tracked folder renamed', line: 'mv src lib' },
  {
    name: 'tracked folder behind a link',
    line: 'rm -rf src; mkdir -p clean; echo fine >clean/a.txt; ln -s clean src',
  },
  { name: 'tracked file deleted', line: 'rm -f src/a.txt' },
  {
    name: 'tracked file behind a link',
    line: 'echo fine >other.txt; rm -f src/a.txt; ln -s ../other.txt src/a.txt',
  },
  { name: 'tracked file in other case', line: 'mv src/a.txt src/A.txt; echo fine >src/A.TXT' },
  { name: 'tracked file executable', line: 'chmod +x src/a.txt src/b.txt; chmod 600 test.sh' },
  {
    name: 'tracked file with other ends of line',
    line: 'for f in src/*.txt; do sed "s/$/\\r/" "$f" >x && cat x >"$f"; done; rm -f x',
  },
  {
    name: 'tracked file with the same size and time',
    line: 'touch -r src/a.txt t; tr a-z A-Z <src/a.txt >x; cat x >src/a.txt; touch -r t src/a.txt; rm -f t x',
  },
  {
    name: 'index told to look away',
    line: 'git update-index --assume-unchanged src/a.txt; echo fine >src/a.txt',
  },
  { name: 'index told to skip', line: 'git update-index --skip-worktree src/a.txt; echo fine >src/a.txt' },
  { name: 'own commit', line: 'echo fine >src/a.txt; git -c user.name=x -c user.email=x@x commit -qam x' },
  {
    name: 'git configured',
    line: 'git config alias.evil status; git config core.attributesFile /dev/null; git config core.fsmonitor /bin/true',
  },
  {
    name: 'git attributes and excludes',
    line: 'mkdir -p .git/info; echo "* -text" >.git/info/attributes; echo "*" >.git/info/exclude',
  },
  {
    name: 'git hooks',
    line: 'mkdir -p .git/hooks; printf "#!/bin/sh\\nexit 1" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
  },
  { name: 'git gone', line: 'rm -rf .git' },
  {
    name: 'git filters',
    line: 'mkdir -p .git/info; echo "src/* filter=x" >.git/info/attributes; git config filter.x.clean "sed s/BUG/fine/"; git config filter.x.smudge "sed s/BUG/fine/"',
  },
  { name: 'changes in a stash', line: 'echo fine >src/a.txt; git -c user.name=x -c user.email=x@x stash -q' },
  { name: 'locks of git', line: 'touch .git/index.lock .git/HEAD.lock .git/config.lock' },
  { name: 'another branch', line: 'git checkout -q -b other; git branch -f baton HEAD; git tag v9 HEAD' },
  {
    name: 'replaced objects',
    line: 'echo fine | git hash-object -w --stdin | xargs -I{} git replace -f "$(git rev-parse HEAD:src/a.txt)" {}',
  },
  { name: 'a work tree elsewhere', line: 'git config core.worktree /; git config core.bare true' },
  { name: 'added by intent', line: 'echo BUG >src/new.txt; git add -N src/new.txt' },
  {
    name: 'staged for nobody',
    line: 'echo fine >src/a.txt; git add src/a.txt; git checkout -q HEAD -- src/b.txt',
  },
  { name: 'nested repository', line: 'git init -q sub; echo x >sub/f' },
  { name: 'attributes in the tree', line: 'echo "* ident merge=evil" >.gitattributes' },
  { name: 'pipe in place of a switch', line: 'mkfifo pipe; rm -f .gitattributes; mkfifo .gitattributes' },
  { name: 'link to outside', line: 'ln -s / root; ln -sf /etc/hostname skip.flag' },
  { name: 'folder without rights', line: 'mkdir -p locked/in; touch locked/in/f; chmod 000 locked' },
  { name: 'time of everything changed', line: 'find src test.sh -exec touch -d 2001-01-01 {} +' },
  { name: 'program for later', line: 'mkdir -p bin; echo "exit 0" >bin/sh; echo "sh bin/sh" >.envrc' },
  { name: 'made folder renamed', line: 'mv gen gen.old' },
  {
    name: 'dependencies by force',
    line: `mkdir -p node_modules/.bin; ${evil} >node_modules/.bin/check; git add -f node_modules/.bin/check`,
  },
];
