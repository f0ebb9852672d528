import type { Limits } from '#libs/kernel/limits.ts';
import { playFirstJourney } from '../../../../deploy/local/first-journey.ts';
import { theStack } from '../../../support/suite-stack.ts';

const nowhere = 'http://127.0.0.1:1';
const limits = { sessionExpirySec: 600, sessionExpirySlackSec: 1 } as Limits;

/** Plays against services that answer no more; `stopsAt` is the line at which the run begins to stop. */
const printedOf = async (stopsAt: RegExp): Promise<string[]> => {
  const stack = await theStack();
  const facts = { ...stack, launcher: { url: nowhere }, game: { ...stack.game, url: nowhere } };
  const printed: string[] = [];
  const stopping = () => printed.some((line) => stopsAt.test(line));
  const print = (line: string) => void printed.push(line);
  await playFirstJourney({ run: { stopping }, facts, limits, print, once: false });
  return printed;
};

test('a stack that is stopped while its first journey is played prints no failure', async () => {
  expect(await printedOf(/Player 1/)).toEqual([expect.stringContaining('Player 1 sits down')]);
});

test('a first journey that fails is told, with where everything answers', async () => {
  const printed = (await printedOf(/^never$/)).join('\n');

  expect(printed).toMatch(
    /The journey failed[^]*npm run logs -- launcher-gateway[^]*The stack stays up[^]*gsb is up/,
  );
});
