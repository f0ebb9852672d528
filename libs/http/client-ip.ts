import { BlockList, isIP } from 'node:net';

/** Whom to believe: how many forwarding hops stand before us, and from which addresses they speak (operations: client IP trust). */
export interface IpTrust {
  readonly hops: number;
  readonly proxies: BlockList;
}

/** The caller's address, or why it cannot be told. */
export type ClientIp =
  | { readonly ok: true; readonly ip: string }
  | { readonly ok: false; readonly reason: 'malformed' | 'untrusted' | 'not_public' };

const family = (ip: string) => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

/** A set of addresses from CIDR notation. Throws on text that is none. */
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
  ...['192.168.0.0/16', '224.0.0.0/3', '::/128', '::1/128', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
]);

const bare = (text: string): string => {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text);
  if (bracketed) return bracketed[1] ?? '';
  return /^[\d.]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(':')) : text;
};

/** One address as we store it: without port, brackets, zone, and IPv4 where it was mapped into IPv6; undefined when it is none. */
export const normalIp = (text: string): string | undefined => {
  const [address = ''] = bare(text.trim()).split('%');
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address);
  const ip = mapped?.[1] ?? address.toLowerCase();
  return isIP(ip) === 0 ? undefined : ip;
};

const forwardedFor = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() === 'x-forwarded-for'
      ? (rawHeaders[index + 1] ?? '').split(',')
      : [],
  );

const chosen = (ip: string): ClientIp =>
  notPublic.check(ip, family(ip)) ? { ok: false, reason: 'not_public' } : { ok: true, ip };

/**
 * The address of the caller, which is a credential here. With no hop it is the socket's; otherwise the socket must be a trusted proxy and
 * X-Forwarded-For is walked from the right over exactly the trusted hops. No other header is read, and anything malformed is refused.
 */
export const clientIp = (
  peer: string,
  rawHeaders: readonly string[],
  { hops, proxies }: IpTrust,
): ClientIp => {
  const socket = normalIp(peer);
  if (socket === undefined) return { ok: false, reason: 'malformed' };
  if (hops === 0) return chosen(socket);
  if (!proxies.check(socket, family(socket))) return { ok: false, reason: 'untrusted' };
  const chain = forwardedFor(rawHeaders).map(normalIp);
  if (chain.includes(undefined)) return { ok: false, reason: 'malformed' };
  const ip = chain.at(-hops);
  return ip === undefined ? { ok: false, reason: 'untrusted' } : chosen(ip);
};
