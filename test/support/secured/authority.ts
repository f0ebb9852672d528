import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute, onPath } from '../../../deploy/local/cache.ts';
import { installPackage } from '../../../deploy/local/debian-package.ts';
import { Missing } from '../../../deploy/local/progress.ts';

const openssl = async (...args: string[]): Promise<void> => {
  if (onPath('openssl') === undefined && !(await installPackage('openssl')))
    throw new Missing('Certificates need openssl. Install it.');
  await execute('openssl', args);
};

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];

/** A certificate and its key, as PEM and as files. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

/** An authority of a test's own, in a folder. */
export const createAuthority = async (dir: string) => {
  const [caFile, caKey] = [join(dir, 'authority.pem'), join(dir, 'authority.key')];
  const subject = ['-subj', '/CN=an authority of a test', '-days', '2'];
  await openssl('req', '-x509', ...newKey, '-keyout', caKey, '-out', caFile, ...subject);
  return {
    caFile,
    /** A certificate for a name, as a server and as a client. */
    issue: async (name: string): Promise<Certificate> => {
      const [certFile, keyFile] = [join(dir, `${name}.pem`), join(dir, `${name}.key`)];
      const [request, extensions] = [join(dir, `${name}.csr`), join(dir, `${name}.ext`)];
      writeFileSync(extensions, `subjectAltName=DNS:${name}\n`);
      await openssl('req', ...newKey, '-keyout', keyFile, '-out', request, '-subj', `/CN=${name}`);
      const signer = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-days', '1'];
      await openssl('x509', '-req', '-in', request, ...signer, '-extfile', extensions, '-out', certFile);
      return {
        certFile,
        keyFile,
        cert: readFileSync(certFile, 'utf8'),
        key: readFileSync(keyFile, 'utf8'),
      };
    },
  };
};

/** Who signs certificates. */
export type Authority = Awaited<ReturnType<typeof createAuthority>>;
