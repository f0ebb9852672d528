import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import { noticesIn } from '../../../../deploy/local/follow-notices.ts';

test('the terminal is told what is notable in a log, in words', () => {
  const line = {
    level: 'warn',
    service: 'game-session',
    count: 1000,
    duration_ms: 912,
    msg: operatorNotices.viewRebuilt,
  };
  const log = ['not json', JSON.stringify({ service: 'ott', msg: 'running' }), JSON.stringify(line), ''];

  expect(noticesIn(log.join('\n'))).toEqual([
    `! game-session: ${operatorNotices.viewRebuilt} (1,000, 0.9 s)`,
  ]);
});
