import { readObjects } from './objects.ts';
import { routePolicy } from './policies/routes.ts';
import { cases, renderWith } from './renders.ts';

/** Both kinds of routes at once, as live takes them. */
const both = [
  'gateway.enabled=true',
  'gateway.parentRefs[0].name=edge',
  'gateway.parentRefs[0].sectionName=https',
  'ingress.enabled=true',
  ...['gateway', 'ingress'].flatMap((edge) => [
    `${edge}.hostnames.launcher={launcher.gsb.example}`,
    `${edge}.hostnames.game={game.gsb.example}`,
  ]),
  'ingress.tlsSecrets.launcher=launcher-tls',
  'ingress.tlsSecrets.game=game-tls',
];
const kinds = ['HTTPRoute', 'HTTPRoute', 'Ingress', 'Ingress'];

/** Every path of the contracts that is called from outside has an HTTPRoute and an Ingress, in each environment. */
export const outsideRoutes = async (): Promise<string[]> => {
  const environments = cases().filter(({ name }) => ['default', 'qa', 'live'].includes(name));
  const problems = environments.map(async (environment) => {
    const objects = readObjects(await renderWith(environment, both));
    const found = objects.filter(({ kind }) => kinds.includes(kind)).map(({ kind }) => kind);
    const missing = `${found.sort().join(', ')} instead of ${kinds.join(', ')}`;
    return [...(found.length === kinds.length ? [] : [missing]), ...routePolicy(objects)].map(
      (problem) => `${environment.name}: ${problem}`,
    );
  });
  return (await Promise.all(problems)).flat();
};
