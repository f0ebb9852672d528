import { readFile, stat } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { catalogObject } from './catalog-objects.ts';
import type { CatalogObject } from './catalog-objects.ts';

/** A larger file takes the parser more than a second, while nothing else is answered. */
const maxFileBytes = 65_536;

/** The parser's own message quotes the line, which may hold a secret; the error thrown here has only the line number and the parser's code. */
const parseDocuments = (file: string, text: string): unknown[] => {
  try {
    return parseAllDocuments(text).map((document) => {
      const [mistake] = document.errors;
      if (mistake) throw new Error(`line ${mistake.linePos?.[0].line ?? 1}, ${mistake.code}`);
      return document.toJS() as unknown;
    });
  } catch (error) {
    const place = error instanceof Error && error.message.startsWith('line ') ? ` (${error.message})` : '';
    throw new Error(`${file}: is not YAML${place}`);
  }
};

/** The objects in a YAML file; empty documents are skipped. Throws an error that names the file and the problem, but none of its values. */
export const readObjects = async (file: string): Promise<CatalogObject[]> => {
  if ((await stat(file)).size > maxFileBytes)
    throw new Error(`${file}: is larger than 64 KiB; put its objects into several files`);
  const documents = parseDocuments(file, await readFile(file, 'utf8'));
  return documents
    .filter((document) => document !== null && document !== undefined)
    .map((document) => {
      const { data, error } = catalogObject.safeParse(document);
      if (error) throw new Error(`${file}: ${z.prettifyError(error)}`);
      return data;
    });
};
