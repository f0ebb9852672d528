import { factsOf } from '../../../../deploy/local/stack-facts.ts';

const told = (settings: Record<string, string>) =>
  factsOf({
    catalog: { games: [], cafes: [], operatorKey: 'key' },
    ports: { launcher: 1, game: 2, settlement: 3, partner: 4 },
    partnerToken: 'token',
    stores: { kafka: { brokers: [] }, redis: { url: 'redis://a' }, postgres: { url: 'postgres://a' } },
    settings,
  } as unknown as Parameters<typeof factsOf>[0])([]).settlement;

test('a stack tells the commands of operators the time zone of its days', () => {
  expect(told({ SETTLEMENT_TIME_ZONE: 'UTC' })).toMatchObject({ time_zone: 'UTC' });
  expect(told({})).not.toHaveProperty('time_zone');
});
