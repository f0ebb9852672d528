import { addressSet, clientIp, networkOf } from '#libs/http/client-ip.ts';

const proxies = addressSet(['127.0.0.1/32', '10.0.0.0/8', 'fd00::/8']);
const pc = '203.0.113.10';
const xff = (...values: string[]) => values.flatMap((value) => ['X-Forwarded-For', value]);
const ok = (ip: string) => ({ ok: true, ip });
const no = (reason: string) => ({ ok: false, reason });

/** Peer, headers, trusted hops, verdict. */
const vectors: [what: string, peer: string, headers: string[], hops: number, verdict: object][] = [
  ['no hop: the socket counts', pc, [], 0, ok(pc)],
  ['no hop: a header is not read', pc, xff('198.51.100.7'), 0, ok(pc)],
  ['no hop: a private socket is nobody', '10.1.2.3', [], 0, no('not_public')],
  ['no hop: IPv4 mapped into IPv6', `::ffff:${pc}`, [], 0, ok(pc)],
  ['no hop: IPv6', '2001:db8::7', [], 0, ok('2001:db8::7')],
  ['no hop: an empty socket address', '', [], 0, no('malformed')],
  ['one hop', '127.0.0.1', xff(pc), 1, ok(pc)],
  ['one hop, over IPv6', 'fd00::1', xff(pc), 1, ok(pc)],
  ['one hop, a mapped peer', '::ffff:127.0.0.1', xff(pc), 1, ok(pc)],
  ['one hop: a spoofed left entry', '127.0.0.1', xff(`198.51.100.7, ${pc}`), 1, ok(pc)],
  ['one hop: ten spoofed entries', '127.0.0.1', xff(`${'198.51.100.7, '.repeat(10)}${pc}`), 1, ok(pc)],
  ['one hop: 31 spoofed entries', '127.0.0.1', xff(`${'198.51.100.7, '.repeat(31)}${pc}`), 1, ok(pc)],
  ['one hop: 32 spoofed entries', '127.0.0.1', xff(`${'::, '.repeat(32)}${pc}`), 1, no('malformed')],
  [
    'one hop: a hundred spoofed',
    '127.0.0.1',
    xff(`${'198.51.100.7, '.repeat(100)}${pc}`),
    1,
    no('malformed'),
  ],
  ['one hop: as many headers as are read', '127.0.0.1', xff(...Array<string>(32).fill(pc)), 1, ok(pc)],
  ['one hop: one header more', '127.0.0.1', xff(...Array<string>(33).fill(pc)), 1, no('malformed')],
  ['one hop: text far from what counts', '127.0.0.1', xff(`unknown, ::7, ${pc}`), 1, no('malformed')],
  ['one hop: a spoofed private entry', '127.0.0.1', xff(`10.0.0.1, ${pc}`), 1, ok(pc)],
  ['one hop: the header twice, the last entry counts', '127.0.0.1', xff('198.51.100.7', pc), 1, ok(pc)],
  ['one hop: the peer is not trusted', '198.51.100.1', xff(pc), 1, no('untrusted')],
  ['one hop: a public peer claims a cafe', pc, xff('203.0.113.20'), 1, no('untrusted')],
  ['one hop: no header', '127.0.0.1', [], 1, no('untrusted')],
  ['one hop: an empty header', '127.0.0.1', xff(''), 1, no('malformed')],
  ['one hop: an empty item', '127.0.0.1', xff(`${pc},,${pc}`), 1, no('malformed')],
  ['one hop: a trailing comma', '127.0.0.1', xff(`${pc},`), 1, no('malformed')],
  ['one hop: text', '127.0.0.1', xff('unknown'), 1, no('malformed')],
  ['one hop: an address and more', '127.0.0.1', xff(`${pc} or so`), 1, no('malformed')],
  ['one hop: too large a number', '127.0.0.1', xff('203.0.113.256'), 1, no('malformed')],
  ['one hop: leading zeros', '127.0.0.1', xff('203.0.113.010'), 1, no('malformed')],
  ['one hop: unicode digits', '127.0.0.1', xff('２03.0.113.10'), 1, no('malformed')],
  ['one hop: a port', '127.0.0.1', xff(`${pc}:51234`), 1, ok(pc)],
  ['one hop: IPv6 with a port', '127.0.0.1', xff('[2001:db8::7]:443'), 1, ok('2001:db8::7')],
  ['one hop: IPv6 in capitals', '127.0.0.1', xff('2001:DB8::7'), 1, ok('2001:db8::7')],
  ['one hop: a zone', '127.0.0.1', xff('fe80::1%eth0'), 1, no('not_public')],
  ['one hop: IPv6 in another spelling', '127.0.0.1', xff('2001:0db8:0::0007'), 1, ok('2001:db8::7')],
  ['one hop: mapped, in hexadecimal', '127.0.0.1', xff('::ffff:cb00:710a'), 1, ok(pc)],
  ['one hop: mapped and private, in hexadecimal', '127.0.0.1', xff('::ffff:a00:1'), 1, no('not_public')],
  ['one hop: IPv4 with a zone', '127.0.0.1', xff(`${pc}%eth0`), 1, no('malformed')],
  ['one hop: IPv4 in brackets', '127.0.0.1', xff(`[${pc}]`), 1, no('malformed')],
  ['one hop: a port too large', '127.0.0.1', xff(`${pc}:65536`), 1, no('malformed')],
  ['one hop: a port that is missing', '127.0.0.1', xff(`${pc}:`), 1, no('malformed')],
  ['one hop: half a bracket', '127.0.0.1', xff('[2001:db8::7'), 1, no('malformed')],
  ['one hop: a network for measurements', '127.0.0.1', xff('198.18.0.1'), 1, no('not_public')],
  ['one hop: mapped', '127.0.0.1', xff(`::ffff:${pc}`), 1, ok(pc)],
  ['one hop: mapped and private', '127.0.0.1', xff('::ffff:192.168.0.1'), 1, no('not_public')],
  ['one hop: private', '127.0.0.1', xff('192.168.0.17'), 1, no('not_public')],
  ['one hop: carrier-grade NAT', '127.0.0.1', xff('100.64.1.1'), 1, no('not_public')],
  ['one hop: unspecified', '127.0.0.1', xff('0.0.0.0'), 1, no('not_public')],
  [
    'one hop: other headers are not read',
    '127.0.0.1',
    ['X-Real-IP', pc, 'Forwarded', `for=${pc}`],
    1,
    no('untrusted'),
  ],
  ['two hops', '10.0.0.1', xff(`${pc}, 10.0.0.2`), 2, ok(pc)],
  ['two hops: a spoofed left entry', '10.0.0.1', xff(`198.51.100.7, ${pc}, 10.0.0.2`), 2, ok(pc)],
  ['two hops: a chain that is too short', '10.0.0.1', xff(pc), 2, no('untrusted')],
  ['two hops: a caller before the inner proxy', '10.0.0.1', xff(`${pc}, 198.51.100.66`), 2, no('untrusted')],
  ['two hops: there is one', '10.0.0.1', xff(`198.51.100.7, ${pc}`), 2, no('untrusted')],
  ['two hops, the outer one over IPv6', '10.0.0.1', xff(`${pc}, FD00:0::2`), 2, ok(pc)],
  ['two hops, the outer one mapped, with a port', '10.0.0.1', xff(`${pc}, [::ffff:10.0.0.2]:443`), 2, ok(pc)],
  ['three hops', '10.0.0.1', xff(`${pc}, 10.0.0.3`, '10.0.0.2'), 3, ok(pc)],
  ['three hops: the outer is not ours', '10.0.0.1', xff(`${pc}, 198.51.100.6, 10.0.0.2`), 3, no('untrusted')],
  ['three hops: the inner is not ours', '10.0.0.1', xff(`${pc}, 10.0.0.3, 198.51.100.6`), 3, no('untrusted')],
  ['three hops: a spoofed left entry', '10.0.0.1', xff(`1.2.3.4, ${pc}, 10.0.0.3, 10.0.0.2`), 3, ok(pc)],
];

describe('the address of a caller is a credential', () => {
  test.each(vectors)('%s', (_, peer, headers, hops, verdict) => {
    expect(clientIp(peer, headers, { hops, proxies })).toEqual(verdict);
  });
});

test.each([
  ['203.0.113.10', '203.0.113.10'],
  ['::ffff:203.0.113.10', '203.0.113.10'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['2001:db8:1::', '2001:db8:1:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['nonsense', 'nonsense'],
])('%s is counted as %s (D-42)', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
