import { randomUUID } from 'node:crypto';
import * as contract from '#libs/contracts/api/launcher.ts';
import { bodyText, call } from '../http-client.ts';
import type { Fetch } from '../http-client.ts';
import { signRequest } from './sign-request.ts';

/** A PC of a cafe, and the launcher on it. */
export interface LauncherOptions {
  readonly url: string;
  readonly cafe: { readonly cafeId: string; readonly keyId: string; readonly secret: Buffer };
  /** The address that the cafe's router shows to us. */
  readonly clientIp: string;
  readonly machineId: string;
  readonly via?: Fetch;
}

/** A launcher as cafes have it: signs its start, keeps its token, asks for one-time tokens. */
export const createLauncher = ({ url, cafe, clientIp, machineId, via }: LauncherOptions) => {
  let token = '';
  const from = { 'X-Forwarded-For': clientIp };
  const bearer = () => ({ ...from, Authorization: `Bearer ${token}` });
  return {
    start: async () => {
      const body = bodyText({ internalIp: '192.168.0.17', hardware: { machineId, os: 'Windows 11' } });
      const { method, path } = contract.startSession;
      const parts = { method, path, authority: new URL(url).host, body: Buffer.from(body) };
      const claims = { keyId: cafe.keyId, nonce: randomUUID(), createdSec: Math.floor(Date.now() / 1000) };
      const signed = signRequest(parts, claims, cafe.secret);
      const answer = await call(contract.startSession, { url, via, body, headers: { ...from, ...signed } });
      if (answer.ok) token = answer.data.sessionToken;
      return answer;
    },
    heartbeat: () => call(contract.heartbeatSession, { url, via, headers: bearer(), body: '{}' }),
    requestOtt: (gameId: string) =>
      call(contract.requestOtt, { url, via, headers: bearer(), body: bodyText({ gameId }) }),
    end: () => call(contract.endSession, { url, via, headers: bearer() }),
  };
};

/** A launcher that runs. */
export type Launcher = ReturnType<typeof createLauncher>;
