import { z } from 'zod';
import { specLimits } from '#libs/kernel/limits.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { limitSettings, limitsOf, withLimits } from '#libs/runtime/settings.ts';
import { newOtt, newPlayer, limits, theStack } from '../support/suite-stack.ts';

describe('spec 8 limits', () => {
  test.each([
    ['OTT time to live', 'ottTtlSec', 60],
    ['Heartbeat interval', 'heartbeatIntervalSec', 120],
    ['Game session expiry without heartbeat', 'sessionExpirySec', 4 * 60],
    ['Launcher heartbeat silence that ends the game session', 'launcherSilenceSec', 4 * 60],
    ['Grace period after CHARGE_EXHAUSTED', 'graceSec', 2 * 60],
  ] as const)('%s', (_, limit, seconds) => {
    const untold = limitsOf(readConfig(withLimits(z.object(limitSettings)), {}));

    expect([specLimits[limit], untold[limit]]).toEqual([seconds, seconds]);
  });

  test('OTT uses: 1', async () => {
    const { server, ott } = await newPlayer(await theStack());

    expect(await server.verify(ott, 'u1')).toMatchObject({
      data: { isValid: false, reason: 'OTT_ALREADY_USED' },
    });
  });

  test('a running stack keeps to the limits of its environment', async () => {
    const { pc } = await newOtt(await theStack());

    expect(await pc.heartbeat()).toMatchObject({ data: { nextHeartbeatIn: limits.heartbeat } });
  });
});
