import { z } from 'zod';
import * as game from '#libs/contracts/api/game.ts';
import * as launcher from '#libs/contracts/api/launcher.ts';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { called, podsOf } from '../objects.ts';
import type { KubernetesObject } from '../objects.ts';

const component = 'app.kubernetes.io/component';

/** The paths that callers outside the cluster use, by the service that answers them. */
const outside = { 'launcher-gateway': launcher, 'game-session': game };
const pathsOf = (module: object): string[] =>
  Object.values(module as Record<string, Partial<Endpoint>>).flatMap(({ path }) => path ?? []);

const prefix = z.looseObject({ path: z.looseObject({ type: z.literal('PathPrefix'), value: z.string() }) });
const httpRoute = z.looseObject({ rules: z.array(z.looseObject({ matches: z.array(prefix) })) });

const path = z.looseObject({ path: z.string(), pathType: z.literal('Prefix') });
const ingress = z.looseObject({
  rules: z.array(z.looseObject({ http: z.looseObject({ paths: z.array(path) }) })),
});

/** The routes of each host; an HTTPRoute has the same for all. */
const routesOf = ({ kind, spec }: KubernetesObject): string[][] => {
  if (kind === 'Ingress')
    return ingress.parse(spec).rules.map(({ http }) => http.paths.map((each) => each.path));
  return [httpRoute.parse(spec).rules.flatMap(({ matches }) => matches.map((each) => each.path.value))];
};

/** As PathPrefix and pathType Prefix match: by path element, so that /v1/a does not match /v1/ab. */
const matches = (route: string, path: string): boolean =>
  `${path}/`.startsWith(`${route.replace(/\/$/, '')}/`);

const unrouted = (object: KubernetesObject): string[] => {
  const name = object.metadata.labels[component] ?? '';
  const paths = name in outside ? pathsOf(outside[name as keyof typeof outside]) : [];
  return routesOf(object).flatMap((routes) =>
    paths
      .filter((path) => !routes.some((route) => matches(route, path)))
      .map((path) => `${called(object)} does not route ${path}: add it to services.${name}.routes`),
  );
};

/** Whoever is outside reaches every path of the launcher and game APIs, by each host that a render routes. */
export const routePolicy = (objects: readonly KubernetesObject[]): string[] => {
  const deployed = new Set(podsOf(objects).map(({ owner }) => owner.metadata.labels[component]));
  return objects
    .filter(({ kind }) => kind === 'HTTPRoute' || kind === 'Ingress')
    .filter(({ metadata }) => deployed.has(metadata.labels[component]))
    .flatMap(unrouted);
};
