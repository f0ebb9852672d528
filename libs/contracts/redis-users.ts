/** What a service may touch in Redis: the keys and channels whose names match. */
export interface RedisUser {
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

const replies = ['gsb:replies:*'];

/** The Redis users, one for each service that has state there, under its name. */
export const redisUsers = {
  'launcher-gateway': {
    keys: ['gsb:launcher:*', 'gsb:nonce:*', 'gsb:cafe:*', 'gsb:limit:*'],
    channels: replies,
  },
  ott: { keys: ['gsb:ott:*'], channels: replies },
  'game-session': { keys: ['gsb:game-session:*', 'gsb:answer:*', 'gsb:limit:*'], channels: replies },
} as const satisfies Record<string, RedisUser>;

/** The name of a Redis user. */
export type RedisUserName = keyof typeof redisUsers;

/** Data, scripts, pub/sub and where the slots of a cluster are; nothing that lists all keys, empties the server or changes it. */
const commands = [
  ...['-@all', '+@read', '+@write', '+@connection', '+@pubsub', '+@transaction'],
  ...[
    '-@dangerous',
    '-@admin',
    '-scan',
    '-randomkey',
    '-dbsize',
    '+eval',
    '+evalsha',
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
