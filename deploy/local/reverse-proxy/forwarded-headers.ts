/** Headers that belong to one connection and are not passed on (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

const pairs = (rawHeaders: readonly string[]): [name: string, value: string][] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as [string, string]] : [],
  );

/** The headers of a request or answer that are passed on, as they were written and in their order. */
export const passedOn = (rawHeaders: readonly string[], except: readonly string[] = []): string[] =>
  pairs(rawHeaders)
    .filter(([name]) => !hopByHop.has(name.toLowerCase()) && !except.includes(name.toLowerCase()))
    .flat();

/** X-Forwarded-For with the address of the connection added, as nginx' $proxy_add_x_forwarded_for. */
export const forwardedFor = (rawHeaders: readonly string[], address: string): string =>
  [
    ...pairs(rawHeaders)
      .filter(([name]) => name.toLowerCase() === 'x-forwarded-for')
      .map(([, value]) => value),
    address,
  ].join(', ');
