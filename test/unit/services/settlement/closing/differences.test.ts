import { differencesOf } from '../../../../../services/settlement/closing/differences.ts';
import type { ComparedLine } from '../../../../../services/settlement/closing/differences.ts';

const agreed: ComparedLine = {
  playSec: 600,
  clientSec: 598,
  confirmedSec: 600,
  statement: { status: 'stopped', playSec: 600 },
};

test.each<[string, Partial<ComparedLine>, string[]]>([
  ['all records agree', {}, []],
  ['the game measured nothing', { clientSec: null }, []],
  ['the partner lacks the session', { statement: 'missing' }, ['missing_at_partner serious']],
  [
    'the partner still bills',
    { statement: { status: 'started', playSec: 480 } },
    ['not_stopped_at_partner notable'],
  ],
  ['the partner has not confirmed', { confirmedSec: null }, ['not_confirmed serious']],
  [
    'the statement is not compared',
    { statement: 'left_out', confirmedSec: 601 },
    ['partner_counted_more notable'],
  ],
  [
    'the partner counted less',
    { confirmedSec: 300, statement: { status: 'stopped', playSec: 300 } },
    ['partner_counted_less serious'],
  ],
  ['answer and statement differ', { confirmedSec: 601 }, ['answer_and_statement_differ notable']],
  ['the game counted on', { clientSec: 700 }, ['client_measured_more notable']],
  ['the game began late', { clientSec: 400 }, ['client_measured_less serious']],
])('when %s, each difference has its cause and band', (_, change, expected) => {
  const found = differencesOf({ ...agreed, ...change });

  expect(found.map(({ cause, band }) => `${cause} ${band}`)).toEqual(expected);
});
