import type { IncomingMessage } from 'node:http';

/** Whether the request names its host once: of two, a proxy and we might believe different ones. HTTP/1.0 needs none. */
export const namesHost = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
};
