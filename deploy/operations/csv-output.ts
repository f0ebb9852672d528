import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { once } from 'node:events';

/** Where a command writes its CSV. */
export interface CsvOutput {
  readonly write: (text: string) => Promise<void>;
  /** Resolves when everything is written. */
  end(): Promise<void>;
  /** Takes away what there is of a file that will not be complete. */
  discard(): void;
}

/**
 * Writes to stdout, or to a file that gets its name when it is complete, so that nobody reads half of it. Rejects at once where the file cannot
 * be made, and later with what a write has failed with: a full disk, or a reader of stdout that has gone.
 */
export const openCsv = async (file: string | undefined): Promise<CsvOutput> => {
  // Of this process: another one may write the same file.
  const unfinished = `${file}.${process.pid}.new`;
  const stream = file === undefined ? process.stdout : createWriteStream(unfinished);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  stream.on('error', reject);
  const unlessFailed = (work: Promise<unknown>): Promise<unknown> => Promise.race([work, failed]);
  if (file !== undefined) await unlessFailed(once(stream, 'open'));
  const flushed = (): Promise<void> =>
    new Promise((resolve, rejected) => stream.write('', (error) => (error ? rejected(error) : resolve())));
  return {
    write: async (text) => {
      if (!stream.write(text)) await unlessFailed(once(stream, 'drain'));
    },
    end: async () => {
      await unlessFailed(flushed());
      if (file === undefined) return;
      await unlessFailed(new Promise((resolve) => stream.end(() => resolve(undefined))));
      renameSync(unfinished, file);
    },
    discard: () => {
      if (file !== undefined) rmSync(unfinished, { force: true });
    },
  };
};
