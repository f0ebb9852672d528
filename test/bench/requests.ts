import { randomUUID } from 'node:crypto';
import * as game from '#libs/contracts/api/game.ts';
import * as launcher from '#libs/contracts/api/launcher.ts';
import { signRequest } from '#simulators/launcher/sign-request.ts';
import type { Pc } from './pcs.ts';

interface Head {
  readonly method: string;
  readonly path: string;
}

const text = ({ method, path }: Head, headers: string, body: string): string =>
  `${method} ${path} HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** The requests of launchers, as they stand on the wire. */
export const launcherRequests = (host: string) => {
  const from = (pc: Pc): string => `Host: ${host}\r\nX-Forwarded-For: ${pc.cafe.ips[0]}\r\n`;
  const bearer = (pc: Pc): string => `${from(pc)}Authorization: Bearer ${pc.sessionToken}\r\n`;
  return {
    start: (pc: Pc): string => {
      const hardware = { machine_id: pc.machineId, os: 'Windows 11' };
      const body = JSON.stringify({ internal_ip: '192.168.0.17', hardware });
      const { method, path } = launcher.startSession;
      const parts = { method, path, authority: host, body: Buffer.from(body) };
      const createdSec = Math.floor(Date.now() / 1000);
      const claims = { keyId: pc.cafe.key_id, nonce: randomUUID(), createdSec };
      const signed = Object.entries(signRequest(parts, claims, Buffer.from(pc.cafe.secret, 'base64')));
      const signature = signed.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      return text(launcher.startSession, from(pc) + signature, body);
    },
    ott: (pc: Pc, gameId: string): string =>
      text(launcher.requestOtt, bearer(pc), JSON.stringify({ game_id: gameId })),
    heartbeat: (pc: Pc): string => text(launcher.heartbeatSession, bearer(pc), '{}'),
    end: (pc: Pc): string => text(launcher.endSession, bearer(pc), ''),
  };
};

/** The requests of a game server, as they stand on the wire. */
export const gameRequests = (host: string, apiKey: string) => {
  const headers = `Host: ${host}\r\nX-Api-Key: ${apiKey}\r\n`;
  const member = ({ gameSessionId, user }: Pc) => ({
    game_session_id: gameSessionId,
    provider_user_id: user,
  });
  const leaver = ({ gameSessionId }: Pc, playedSec: number) => ({
    game_session_id: gameSessionId,
    play_duration_sec: playedSec,
  });
  return {
    verify: ({ ott, user }: Pc): string =>
      text(game.verify, headers, JSON.stringify({ ott, provider_user_id: user })),
    heartbeat: (pc: Pc): string => text(game.heartbeat, headers, JSON.stringify(member(pc))),
    end: (pc: Pc, playedSec: number): string =>
      text(game.end, headers, JSON.stringify(leaver(pc, playedSec))),
    batchHeartbeat: (pcs: readonly Pc[]): string =>
      text(game.heartbeats, headers, JSON.stringify({ sessions: pcs.map(member) })),
    batchEnd: (pcs: readonly Pc[], playedSec: readonly number[]): string =>
      text(
        game.ends,
        headers,
        JSON.stringify({ sessions: pcs.map((pc, at) => leaver(pc, playedSec[at] ?? 0)) }),
      ),
  };
};
