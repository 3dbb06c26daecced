import { tidy } from './assertions.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

const doubles =
  /^\s*(?:(?:new|await|return)\s+)*(?:\w+\s*(?:\.|::|->)\s*|\$this->)*(?:(?:instance_|class_|object_)?double|spy|spyk|mockk?|stub|fake|(?:Magic|Async)?Mock|create_autospec|create(?:Stub|Mock|PartialMock|ConfiguredMock|ConfiguredStub)|prophesize|For|Fake|createStubInstance|createSpyObj|mocked)\s*(?:<[^>]*>)?\s*[({]/;
const gives =
  /^\s*(?:subject|let!?)\s*\(?\s*:(\w+)|^\s*(?:[\w<>[\].?:]+\s+)*\$?(?:this->|this\.|self\.|@)?(\w+)\s*(?::\s*[\w<>.]+\s*)?:?=(?![=>~])/;
/** Asks what a double was asked, and nothing of what it answers. */
const ofCalls =
  /have_received|toHaveBeen|toHaveReturned|\bassert_called|\bassert_(?:awaited|has_calls)|\bverify\b|\bReceived\b|\.mock\b/;

/** What a line gives a name, and whether that is made by a library of doubles. */
function givenBy(text: string): { name: string; isDouble: boolean } | null {
  const found = gives.exec(text);
  const name = found?.slice(1).find((one) => one !== undefined);
  if (found === null || name === undefined) return null;
  const value = text.slice(found[0].length).replace(/^\)?\s*(?:\{|do\b)/, '');
  return { name, isDouble: doubles.test(value) };
}

/** What a test asserts about was made by the sources, and is made by a library of doubles now. Pure. */
export function doubledSubjects(file: TestFile): Found[] {
  if (file.before.cases.length === 0) return [];
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const real = new Set(
    removed.map(({ bare }) => givenBy(bare)).flatMap((one) => (one?.isDouble === false ? [one.name] : [])),
  );
  return added
    .filter(({ bare }) => {
      const { name, isDouble } = givenBy(bare) ?? { name: '', isDouble: false };
      if (!isDouble || !real.has(name)) return false;
      const asked = new RegExp(
        String.raw`(?<![\w.])[$@]?(?:this->|this\.|self\.)?${name}\s*(?:\.|->|\?\.)\s*\w`,
      );
      const isImplied = /^\s*subject\b/.test(bare);
      return file.after.assertions.some(
        ({ text }) =>
          !ofCalls.test(text) &&
          (asked.test(text) || (isImplied && /\bis_expected\b|\bsubject\b/.test(text))),
      );
    })
    .map(({ at }) => ({ file, at }));
}
