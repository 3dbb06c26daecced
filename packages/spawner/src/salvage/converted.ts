import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bytesOf, fromText, type BytePath } from '../tree/byte-path.ts';
import type { Workspace } from '../tree/workspace.ts';

/** Attributes under which a file without an edit can look like one; `text=auto` leaves what was committed with other line ends. */
const converts = /\s(?:text(?!=auto)|eol|crlf|ident|working-tree-encoding)/;
const encodes = /\sworking-tree-encoding/;
/** What line ends or `$Id$` could have made of a file. */
const marks = ['\r', '$Id'];
/** A larger file is not looked into. */
const mostBytes = 32 * 1024 * 1024;

export const isAttributes = (file: BytePath): boolean => /(^|\/)\.gitattributes$/.test(file);

/**
 * Which files may have another form in the tree than in their commit, as far as it is known without git; nearly always none.
 *
 * @param files All files of the tree, of which only those with attributes are read.
 */
export function mayBeConverted(workspace: Workspace, files: Iterable<BytePath>): (file: BytePath) => boolean {
  const texts = attributesIn(workspace, files);
  if (!texts.some((text) => converts.test(text))) return () => false;
  if (texts.some((text) => encodes.test(text))) return () => true;
  return (file) => {
    const text = textOf(workspace, file);
    return text === null || marks.some((mark) => text.includes(mark));
  };
}

/** Whether any file may have one. */
export function areConverted(workspace: Workspace, files: Iterable<BytePath>): boolean {
  return attributesIn(workspace, files).some((text) => converts.test(text));
}

function attributesIn(workspace: Workspace, files: Iterable<BytePath>): string[] {
  const own = path.join(workspace.clone.path, 'info', 'attributes');
  const texts = [...files].filter(isAttributes).map((file) => textOf(workspace, file) ?? '');
  return existsSync(own) ? [...texts, readFileSync(own, 'latin1')] : texts;
}

/** Null: it is no file, or too large. */
function textOf(workspace: Workspace, file: BytePath): string | null {
  const place = bytesOf(`${fromText(workspace.path)}/${file}`);
  const stat = lstatSync(place, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= mostBytes ? readFileSync(place, 'latin1') : null;
}
