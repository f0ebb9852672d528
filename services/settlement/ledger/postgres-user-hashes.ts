import { createHmac, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { loadStatements, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { HashUser } from './ports.ts';

const statements = loadStatements(new URL('./user-hash-secrets.sql', import.meta.url), {
  offerSecret: z.never(),
  readSecret: z.object({ secret: z.string() }),
  forgetSecrets: z.never(),
});

const monthOf = (instantMs: number): string => `${new Date(instantMs).toISOString().slice(0, 7)}-01`;

/** The oldest month whose secret is kept beside that of a month, as in `forgetSecrets`. */
const oldestBeside = (month: string): string => {
  const date = new Date(month);
  return monthOf(date.setUTCMonth(date.getUTCMonth() - 2));
};

/**
 * Hashes players by HMAC with the secret of the month in which their play ended, which all replicas share. A new month's secret is made at its
 * first session, and those of the months before the last two are forgotten then, here too (D-43). `newSecret`: 32 random bytes.
 */
export const postgresUserHashes = (db: Db, newSecret: () => Buffer): HashUser => {
  const known = new Map<string, Promise<KeyObject>>();
  const secretOf = async (month: string): Promise<KeyObject> => {
    await query(db, statements.offerSecret, [month, newSecret().toString('hex')]);
    await query(db, statements.forgetSecrets, [month]);
    const [row] = await query(db, statements.readSecret, [month]);
    if (row === undefined) throw new Error(`the secret of ${month} is not there`);
    return createSecretKey(row.secret, 'hex');
  };
  const remembered = (month: string): Promise<KeyObject> => {
    const found = known.get(month);
    if (found !== undefined) return found;
    const oldest = oldestBeside(month);
    for (const each of known.keys()) if (each < oldest) known.delete(each);
    const secret = secretOf(month);
    known.set(month, secret);
    secret.catch(() => known.delete(month));
    return secret;
  };
  return async ({ gameId, providerUserId }, endedAtMs) => {
    const secret = await remembered(monthOf(endedAtMs));
    return createHmac('sha256', secret).update(`${gameId}\n${providerUserId}`).digest('hex');
  };
};
