import { isBelow } from '../checks/check-context.ts';
import { definesGates } from './gate-files.ts';
import { isSnapshot, isTestPath } from './test-paths.ts';

/** Roles whose work is the tests themselves. */
const testRoles: readonly string[] = ['qa', 'test', 'tests', 'tester', 'testing'];

/** Whether a task of this role owns every test. */
export function writesTests(role: string): boolean {
  return testRoles.includes(role.toLowerCase());
}

/**
 * Which tests a task owns: those that its files name, and all of them where its role is to write tests. A file is named by its
 * own path or by a folder that holds nothing but tests; a folder of source such as `src` names no test below it. Pure.
 */
export function namesTests({
  files,
  role = '',
}: {
  files: readonly string[];
  role?: string | undefined;
}): (path: string) => boolean {
  if (writesTests(role)) return () => true;
  return (path) => files.some((file) => file === path || (holdsTests(file) && isBelow(path, file)));
}

/** Whether every file of code in this folder is a test. */
function holdsTests(folder: string): boolean {
  const inside = folder.replace(/\/+$/, '');
  return isTestPath(`${inside}/any.js`) || isSnapshot(`${inside}/any`);
}

/** Whether one of a task's files names what defines gates by a folder of nothing else, such as `.github`. Pure. */
export function namesGates(files: readonly string[]): (path: string) => boolean {
  const folders = files.filter((file) => {
    const inside = file.replace(/\/+$/, '');
    return [`${inside}/any.yml`, `${inside}/workflows/any.yml`].some(definesGates);
  });
  return (path) => folders.some((folder) => isBelow(path, folder));
}
