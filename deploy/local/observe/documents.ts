import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { runbooksFolder } from '../../observability/links.ts';
import { htmlOf } from './markdown.ts';

const root = resolve(import.meta.dirname, '../../..');
/** A document of this repository; none of what is installed, hidden or above. */
const isDocument = (path: string): boolean =>
  /^(\/[A-Za-z0-9][\w.-]*)+\.md$/.test(path) && !path.startsWith('/node_modules/');

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8" /><title>${title}</title><link rel="stylesheet" href="/page/page.css" />
<header><strong>gsb</strong><a href="/d/gsb-overview">boards</a><a href="/traces">traces</a><a href="/logs">logs</a><a href="${runbooksFolder}">runbooks</a></header>
<article>${body}</article></html>`;

const listOfRunbooks = (): string => {
  const names = readdirSync(join(root, runbooksFolder)).map((file) => basename(file, '.md'));
  const lines = names.map((name) => `- [${name}](${runbooksFolder}/${name}.md)`);
  return htmlOf(['# Runbooks', lines.join('\n')].join('\n\n'));
};

/** A document by its path in the repository, or the list of the runbooks, as a page; undefined where there is none. */
export const documentOf = (path: string): string | undefined => {
  if (path === runbooksFolder) return page('Runbooks', listOfRunbooks());
  const file = join(root, path);
  if (!isDocument(path) || !existsSync(file)) return undefined;
  return page(basename(path, '.md'), htmlOf(readFileSync(file, 'utf8')));
};
