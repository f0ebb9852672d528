/** What a service may touch in Redis: the keys and channels whose names match. */
export interface RedisUser {
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

/** Replies go by replica, whose name has the service's in it; that of a pod of the release before has nothing else that tells. */
const repliesOf = (service: string) => `gsb:replies:*${service}*`;

/** The Redis users, one for each service that has state there, under its name. */
export const redisUsers = {
  'launcher-gateway': {
    keys: ['gsb:launcher:*', 'gsb:nonce:*', 'gsb:cafe:*', 'gsb:limit:{launcher}:*'],
    channels: [repliesOf('launcher-gateway')],
  },
  ott: { keys: ['gsb:ott:*'], channels: [] },
  'game-session': {
    keys: ['gsb:game-session:*', 'gsb:answer:*', 'gsb:limit:{game}:*'],
    channels: [repliesOf('game-session')],
  },
} as const satisfies Record<string, RedisUser>;

/** The name of a Redis user. */
export type RedisUserName = keyof typeof redisUsers;

/** Data, scripts, pub/sub and where the slots of a cluster are; nothing that lists keys or channels, stays behind as code, empties the server or changes it. */
const commands = [
  ...['-@all', '+@read', '+@write', '+@connection', '+@transaction'],
  ...[
    '-@dangerous',
    '-@admin',
    '-scan',
    '-randomkey',
    '-dbsize',
    '-@scripting',
    '+eval',
    '+evalsha',
    '+publish',
    '+subscribe',
    '+unsubscribe',
    '+time',
    '+info',
    '+role',
    '+cluster|slots',
  ],
];

/** A user as a line of Redis' ACL file, or of its configuration after `user`. `passwordHash`: SHA-256 in hexadecimal. */
export const redisAcl = (name: RedisUserName, passwordHash: string): string => {
  const { keys, channels } = redisUsers[name];
  const patterns = [...keys.map((key) => `~${key}`), ...channels.map((channel) => `&${channel}`)];
  return [name, 'on', `#${passwordHash}`, 'resetkeys', 'resetchannels', ...patterns, ...commands].join(' ');
};
