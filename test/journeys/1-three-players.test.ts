import { playJourney } from '#simulators/journey/journey.ts';
import { specLimits } from '#libs/kernel/limits.ts';
import { limits, theStack } from '../support/suite-stack.ts';

test('three players sit down, play, change the game and vanish, and both books agree on every second', async () => {
  const stack = await theStack();
  const lines: string[] = [];
  const short = { ...specLimits, sessionExpirySec: limits.expiry, sessionExpirySlackSec: limits.slack };

  const { ok } = await playJourney({ stack, limits: short, print: (line) => lines.push(line) });

  expect({ ok, wrong: lines.filter((line) => line.includes('✗')) }).toEqual({ ok: true, wrong: [] });
}, 60_000);
