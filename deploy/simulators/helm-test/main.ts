import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { limitsOf } from '#libs/runtime/settings.ts';
import { playJourney } from '../journey/journey.ts';
import { journeySchema } from './config.ts';
import { smokeCheck } from './smoke-check.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Smoke-checks the APIs of a release from inside its cluster, and plays the journey where there are keys and a simulated partner to play with. */
runMain(async () => {
  const config = readConfig(journeySchema, process.env);
  const [launcher, game, settlement] = [config.LAUNCHER_URL, config.GAME_URL, config.SETTLEMENT_URL];
  const welcome = await smokeCheck({ launcher, game, settlement, print });
  if (config.JOURNEY_KEYS === undefined || config.PARTNER_URL === undefined) {
    print('\nNo keys to play with (test.keysSecret), so nobody plays.');
    process.exit(welcome ? 0 : 1);
  }
  const { games, cafes, operator_key } = config.JOURNEY_KEYS;
  const stack = {
    ...{ launcher: { url: launcher }, game: { url: game, games } },
    ...{ settlement: { url: settlement, operator_key }, partner: { url: config.PARTNER_URL }, cafes },
  };
  const { ok } = await playJourney({ stack, limits: limitsOf(config), print });
  process.exit(welcome && ok ? 0 : 1);
});
