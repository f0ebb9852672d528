import { BlockList, isIP } from 'node:net';

/** Which forwarding headers to trust: the number of proxies in front of the service, and the addresses that they connect from. */
export interface IpTrust {
  readonly hops: number;
  readonly proxies: BlockList;
}

/** The caller's address, or why it is unknown (D-20). */
export type ClientIp =
  | { readonly ok: true; readonly ip: string }
  | { readonly ok: false; readonly reason: 'malformed' | 'untrusted' | 'not_public' };

const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

/** A set of addresses from CIDR notation. Throws on text that is not CIDR. */
export const addressSet = (cidrs: readonly string[]): BlockList => {
  const set = new BlockList();
  for (const cidr of cidrs) {
    const [net = '', bits = isIP(net) === 6 ? '128' : '32'] = cidr.split('/');
    set.addSubnet(net, Number(bits), family(net));
  }
  return set;
};

const notPublic = addressSet([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
  ...['::/128', '::1/128', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]);

const maxPort = 65_535;

/** The address without the port that some proxies append; undefined for a port out of range or brackets around anything but IPv6. */
const withoutPort = (text: string): string | undefined => {
  const [, bracketed, dotted, port = '0'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (Number(port) > maxPort || (bracketed !== undefined && !bracketed.includes(':'))) return undefined;
  return bracketed ?? dotted ?? text;
};

/** The canonical spelling of an IPv6 address; the IPv4 address for an IPv4-mapped one. */
const canonicalIpv6 = (ipv6: string): string => {
  const text = new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text) ?? [];
  if (high === undefined || low === undefined) return text;
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
};

/** Whether `normalizeIp` makes an address of a text, at a tenth of its cost. */
const isAddress = (text: string): boolean => isIP(withoutPort(text.trim()) ?? '') !== 0;

/** An address as it is stored and compared: without port, brackets and zone, IPv4 for an IPv4-mapped one. Undefined for other text. */
export const normalizeIp = (text: string): string | undefined => {
  const address = withoutPort(text.trim()) ?? '';
  if (isIP(address) === 4) return address;
  return isIP(address) === 6 ? canonicalIpv6(address.replace(/%.*$/, '')) : undefined;
};

/**
 * What an address is counted by: itself, or the first 64 bits of an IPv6 address, of whose other 64 every household has all. Other text as
 * it is.
 */
export const networkOf = (text: string): string => {
  const ip = normalizeIp(text) ?? text;
  if (isIP(ip) !== 6) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
};

/** More than any chain of proxies has. Each entry costs something, and anybody may send a header full of them. */
const maxEntries = 32;

const isProxy = (ip: string, { proxies }: IpTrust): boolean => proxies.check(ip, family(ip));

/** Whether the entries of X-Forwarded-For that the proxies after the first one added are addresses of proxies. */
const isOfProxies = (chain: readonly string[], trust: IpTrust): boolean =>
  chain.slice(chain.length - trust.hops + 1).every((entry) => isProxy(normalizeIp(entry) ?? '', trust));

/** The entries of all X-Forwarded-For; of more than are read, one too many. */
const forwardedFor = (rawHeaders: readonly string[]): string[] => {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'x-forwarded-for',
  );
  return values.length === 0 ? [] : values.join(',').split(',', maxEntries + 1);
};

const publicAddress = (ip: string): ClientIp =>
  notPublic.check(ip, family(ip)) ? { ok: false, reason: 'not_public' } : { ok: true, ip };

/**
 * The caller's address, which is a credential: it proves the cafe. With 0 hops it is the address of the socket. Otherwise the address is the
 * entry of X-Forwarded-For that is `hops` from the right; the socket and the entries to its right must be trusted proxies, or whoever reaches
 * an inner proxy directly would name any address. The entries to its left need only be addresses. No other header is read.
 */
export const clientIp = (peer: string, rawHeaders: readonly string[], trust: IpTrust): ClientIp => {
  const socket = normalizeIp(peer);
  if (socket === undefined) return { ok: false, reason: 'malformed' };
  if (trust.hops === 0) return publicAddress(socket);
  if (!isProxy(socket, trust)) return { ok: false, reason: 'untrusted' };
  const chain = forwardedFor(rawHeaders);
  if (chain.length > maxEntries || !chain.every(isAddress)) return { ok: false, reason: 'malformed' };
  const ip = normalizeIp(chain.at(-trust.hops) ?? '');
  return ip === undefined || !isOfProxies(chain, trust)
    ? { ok: false, reason: 'untrusted' }
    : publicAddress(ip);
};
