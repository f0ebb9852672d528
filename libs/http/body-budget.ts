import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { maxBodyBytes } from './body.ts';

/** So many bytes may the long bodies of a process have together, of the 384 MiB that a pod has (D-46). */
const budgetBytes = 33_554_432;

/**
 * How long a body says that it is, in bytes. One without a Content-Length (chunked) counts as the longest that its endpoint takes, where that
 * is more than the usual; otherwise as nothing.
 */
export const announcedBytes = (
  { headers }: Pick<IncomingMessage, 'headers'>,
  { maxBodyBytes: most = 0 }: Pick<Endpoint, 'maxBodyBytes'>,
): number => (headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : most);

/** Whether a body is above the usual 16 KiB and will be read: one above what its endpoint takes is refused unread (D-02). */
export const isLong = (bytes: number, { maxBodyBytes: most = 0 }: Pick<Endpoint, 'maxBodyBytes'>): boolean =>
  bytes > maxBodyBytes && bytes <= most;

/** Bounds the bytes of long bodies in memory. They count from before they are read until their request is answered or gone (D-46). */
export const createBodyBudget = (mostBytes = budgetBytes) => {
  let held = 0;
  return {
    /** Whether so many bytes more may be read; if so, they are given back when the response is over. */
    takes: (bytes: number, response: ServerResponse): boolean => {
      if (held + bytes > mostBytes) return false;
      held += bytes;
      finished(response, () => (held -= bytes));
      return true;
    },
  };
};
