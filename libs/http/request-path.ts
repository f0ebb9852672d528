import type { IncomingMessage } from 'node:http';
import type { Context, Next } from 'koa';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';

/** The path of a request, as sent: its target without scheme, host, query and fragment. */
export const requestPath = ({ url = '' }: Pick<IncomingMessage, 'url'>): string =>
  /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? '';

/** The path as the router reads it; undefined where the target is no URL, as `http://[`. */
const routedPath = (ctx: Context): string | undefined => {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
};

/** What the router reads differently is an unknown path, or a request would be served as one endpoint and count as another (D-46). */
export const knowsPath = async (ctx: Context, next: Next): Promise<void> => {
  if (routedPath(ctx) !== requestPath(ctx.req)) throw new Refusal('NOT_FOUND');
  await next();
};

/** The methods of an endpoint: the router serves HEAD beside each GET. */
export const methodsOf = ({ method }: Pick<Endpoint, 'method'>): readonly string[] =>
  method === 'GET' ? [method, 'HEAD'] : [method];

/** An unknown path is 404; a known path with another method is 405 with `Allow` (D-02). */
export const unmatched = (endpoints: readonly Pick<Endpoint, 'path' | 'method'>[]) => (ctx: Context) => {
  const matches = (path: string) =>
    new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[a-z_]+/g, '[^/]+')}$`).test(ctx.path);
  const served = [{ path: '/openapi.json', method: 'GET' } as const, ...endpoints];
  const allowed = served.filter(({ path }) => matches(path)).flatMap(methodsOf);
  if (allowed.length === 0) throw new Refusal('NOT_FOUND');
  ctx.set('Allow', [...new Set(allowed)].join(', '));
  throw new Refusal('METHOD_NOT_ALLOWED');
};
