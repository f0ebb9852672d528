import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parse } from 'yaml';
import { limitSettings, limitsOf } from '#libs/runtime/settings.ts';
import { createGameServer } from '#simulators/game-server/game-server.ts';
import { playJourney } from '#simulators/journey/journey.ts';
import { gatewayHosts, hosts } from '../callers.ts';
import { drainedSec, leavingPods } from '../pods.ts';
import { portForward } from '../port-forward.ts';
import { devValues } from '../release.ts';
import type { ContextWithoutPlayers } from '../cluster-context.ts';
import { must, within } from '../step-report.ts';

/** The limits that the dev values set. */
const devLimits = () => {
  const { limits } = z
    .object({ limits: z.record(z.string(), z.number()) })
    .parse(parse(readFileSync(devValues, 'utf8')));
  const texts = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]));
  return limitsOf(z.object(limitSettings).parse(texts));
};

/** The first journey of all, through the ingress controller: both hosts, and the DELETE with its body. */
const journey =
  (context: ContextWithoutPlayers, { launcher, game }: typeof hosts) =>
  async () => {
    const { stores, callers } = context;
    const door = await portForward(context, 'service/gsb-settlement');
    const lines: string[] = [];
    try {
      const { ok } = await playJourney({
        stack: {
          ...{ launcher: { url: launcher }, game: { url: game, games: stores.games } },
          ...{ settlement: { url: door.url, operator_key: stores.operatorKey } },
          ...{ partner: { url: stores.partner.url }, cafes: stores.cafes },
        },
        limits: devLimits(),
        via: callers.via,
        print: (line) => void lines.push(line),
      });
      must(ok, lines.join('\n'));
    } finally {
      await door.close();
    }
    return `${lines.filter((line) => line.includes('✓')).length} answers right`;
  };

const nobody = 'gs_00000000-0000-4000-8000-000000000000';

/** Heartbeats and ends of many sessions reach the product, which knows none of this id. */
const batches =
  ({ callers }: ContextWithoutPlayers, url: string) =>
  async () => {
    const server = createGameServer({ url, apiKey: callers.apiKey(0), via: callers.via('') });
    const heartbeats = await server.heartbeats([{ gameSessionId: nobody, providerUserId: 'x' }]);
    const ends = await server.ends([{ gameSessionId: nobody }]);
    for (const batch of [heartbeats, ends]) {
      const isNotFound = batch.ok && batch.data.results.every(({ status }) => status === 404);
      must(isNotFound, JSON.stringify(batch));
    }
    return undefined;
  };

/** The address is that of the connection, whatever a header says; from elsewhere no header helps. */
const addresses =
  ({ stores, callers }: ContextWithoutPlayers, url: string) =>
  async () => {
    const [here, elsewhere] = [callers.cafeAt(0).ip, callers.cafeAt(1).ip];
    const honest = await callers.launcher(0, { from: here, says: elsewhere, url }).start();
    must(honest.ok, `from the cafe, with another address in the header: ${JSON.stringify(honest)}`);
    for (const says of [here, `${here}, ${elsewhere}`, `${elsewhere}, ${here}`]) {
      const forged = await callers.launcher(0, { from: elsewhere, says, url }).start();
      must(!forged.ok && forged.status < 500, `from elsewhere, saying ${says}: ${JSON.stringify(forged)}`);
    }
    must(stores.cafes.length === 3, 'three cafes');
    return undefined;
  };

/** A pod that is draining does not know the new hosts yet, and takes no signature for them (D-44). */
const oldPodsGone = () => within(drainedSec, 'the old pods gone', leavingPods, (count) => count === 0);

/** Everything that the world outside may do, and the chart's own test inside. */
export const playFromOutside = async (context: ContextWithoutPlayers): Promise<void> => {
  const { report, callers, release } = context;
  await report.step('both hosts answer through the ingress controller', async () => {
    await oldPodsGone();
    const start = async () => (await callers.launcher(0).start().catch(String)) as { ok?: boolean };
    await within(30, 'the launcher host', start, ({ ok }) => ok === true);
    const beat = () => callers.server(0).heartbeat(nobody, 'x').catch(String);
    const known = (answer: Awaited<ReturnType<typeof beat>>) =>
      typeof answer !== 'string' && !answer.ok && answer.code === 'SESSION_NOT_FOUND';
    await within(30, 'the game host', beat, known);
    return undefined;
  });
  await report.step('the whole journey from outside, through both hosts', journey(context, hosts));
  await report.step('a batch of heartbeats and one of ends from outside', batches(context, hosts.game));
  await report.step(
    'the gateway sees the real address, and believes no forged header',
    addresses(context, hosts.launcher),
  );
  await report.step('helm test plays the journey inside', async () => {
    const output = await release.test();
    must(output.includes('The journey is complete'), output.slice(-1_500));
    return undefined;
  });
};

/** The values that add routes of the Gateway API beside the Ingresses. */
export const gatewaySettings = ({ place: { GSB_GATEWAY: gateway } }: ContextWithoutPlayers): string[] => {
  if (gateway === undefined) return [];
  const [space, name] = gateway.split('/');
  const { launcher, game } = gatewayHosts;
  return [
    ...[
      'gateway.enabled=true',
      `gateway.parentRefs[0].name=${name}`,
      `gateway.parentRefs[0].namespace=${space}`,
    ],
    `gateway.hostnames.launcher[0]=${new URL(launcher).host}`,
    `gateway.hostnames.game[0]=${new URL(game).host}`,
  ];
};

/** The same story through a controller of the Gateway API. */
export const playThroughGateway = async (context: ContextWithoutPlayers): Promise<void> => {
  const { report, callers, place } = context;
  if (place.GSB_GATEWAY === undefined) return;
  const url = gatewayHosts.launcher;
  await report.step('the whole journey through the Gateway API', async () => {
    await oldPodsGone();
    const start = async () => (await callers.launcher(0, { url }).start().catch(String)) as { ok?: boolean };
    await within(30, 'the launcher host', start, ({ ok }) => ok === true);
    return journey(context, gatewayHosts)();
  });
  await report.step('and the batches', batches(context, gatewayHosts.game));
  await report.step('and the real address there too', addresses(context, url));
};
