import type { ServiceName } from '#libs/contracts/topics.ts';

/** One kind of security event: what its line says, and which services write it. */
interface SecurityEvent {
  readonly level: 'info' | 'warn';
  readonly says: string;
  readonly writtenBy: readonly ServiceName[];
  /** Whether each one is a line of its own, at once; of others, equal ones are one line with a count (D-47). */
  readonly isSingle?: boolean;
}

const atTheEdge = ['launcher-gateway', 'game-session'] as const;
const withHttp = [...atTheEdge, 'settlement'] as const;

/** Every security event (D-47). */
export const securityEvents = {
  'authentication.succeeded': {
    level: 'info',
    says: 'a session start or a verify came with a right key',
    writtenBy: atTheEdge,
  },
  'authentication.failed': {
    level: 'warn',
    says: 'a signature, key or token is not right',
    writtenBy: withHttp,
  },
  'nonce.replayed': {
    level: 'warn',
    says: 'a signature came a second time',
    writtenBy: ['launcher-gateway'],
  },
  'address.refused': {
    level: 'warn',
    says: 'a launcher called from an address that is not its cafe’s',
    writtenBy: ['launcher-gateway'],
  },
  'launcher-session.replaced': {
    level: 'info',
    says: 'a launcher took the seat of one that was live',
    writtenBy: ['launcher-gateway'],
  },
  'game.mismatched': {
    level: 'warn',
    says: 'a game presented a token of another game',
    writtenBy: ['game-session'],
  },
  'foreign-session.requested': {
    level: 'warn',
    says: 'a game asked for a session of another game',
    writtenBy: ['game-session'],
  },
  'rate.limited': { level: 'warn', says: 'a caller tried too often', writtenBy: atTheEdge },
  'connection.failed': {
    level: 'info',
    says: 'a connection was reset, was too slow, or did not speak HTTP',
    writtenBy: withHttp,
  },
  'key.created': { level: 'info', says: 'a key is valid from now on', writtenBy: withHttp, isSingle: true },
  'key.expired': { level: 'info', says: 'a key has expired', writtenBy: withHttp, isSingle: true },
  'key.revoked': { level: 'info', says: 'a key was taken out', writtenBy: withHttp, isSingle: true },
  'operator.changed': {
    level: 'info',
    says: 'what an operator may has changed',
    writtenBy: ['settlement'],
    isSingle: true,
  },
  'operator.acted': { level: 'info', says: 'an operator acted', writtenBy: ['settlement'], isSingle: true },
  'operator.refused': {
    level: 'warn',
    says: 'an operator was refused, or failed',
    writtenBy: ['settlement'],
    isSingle: true,
  },
} as const satisfies Record<string, SecurityEvent>;

/** The name of a security event. */
export type SecurityEventName = keyof typeof securityEvents;

/** The names of the security events that a service writes. */
export const securityEventsOf = (service: string): SecurityEventName[] =>
  (Object.entries(securityEvents) as [SecurityEventName, SecurityEvent][])
    .filter(([, { writtenBy }]) => writtenBy.some((name) => name === service))
    .map(([name]) => name);
