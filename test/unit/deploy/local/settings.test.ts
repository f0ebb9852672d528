import { stackSettings } from '../../../../deploy/local/settings.ts';

test('the limits of the environment are passed on to the services, the rest by default', () => {
  const { settings } = stackSettings({ OTT_TTL_SEC: '4' });

  expect(settings).toMatchObject({ OTT_TTL_SEC: '4', HEARTBEAT_INTERVAL_SEC: '120' });
});

test('limits of how often callers may try are on unless somebody turns them off (D-42)', () => {
  expect(stackSettings({}).settings).toMatchObject({ RATE_LIMITS: 'on' });
  expect(stackSettings({ RATE_LIMITS: 'off' }).settings).toMatchObject({ RATE_LIMITS: 'off' });
});

test('stores that the environment names are checked, and not passed on to services that have no use for them', () => {
  const { settings } = stackSettings({ DATABASE_URL: 'postgres://gsb:hush@127.0.0.1/gsb' });

  expect(settings).not.toHaveProperty('DATABASE_URL');
});

test('brokers that the environment names are used as they are read: without blanks and empty places', () => {
  expect(stackSettings({ KAFKA_BROKERS: 'one:9092, two:9092,' }).named).toEqual({
    brokers: ['one:9092', 'two:9092'],
  });
});

test('the time zone of the days is passed on, and a misspelt one is refused', () => {
  expect(stackSettings({ SETTLEMENT_TIME_ZONE: 'Asia/Tokyo' }).settings).toMatchObject({
    SETTLEMENT_TIME_ZONE: 'Asia/Tokyo',
  });
  expect(() => stackSettings({ SETTLEMENT_TIME_ZONE: 'Asia/Soul' })).toThrow(/SETTLEMENT_TIME_ZONE/);
});

test('what is wrong is told by name and reason, all at once, and never by value', () => {
  const broken = { OTT_TTL_SEC: 'abc', KAFKA_BROKERS: 'nonsense', REDIS_URL: 'hush' };

  const read = () => stackSettings(broken);

  expect(read).toThrow(/OTT_TTL_SEC: .+\nKAFKA_BROKERS: .+\nREDIS_URL: /);
  expect(read).not.toThrow(/abc|nonsense|hush/);
});

test('an expiry below the heartbeat interval is refused', () => {
  expect(() => stackSettings({ SESSION_EXPIRY_SEC: '10' })).toThrow(/SESSION_EXPIRY_SEC: must be longer/);
});

test('a value that is no number hides no contradiction: both are told, without values', () => {
  const read = () => stackSettings({ OTT_TTL_SEC: 'abc', SESSION_EXPIRY_SEC: '1' });

  expect(read).toThrow(/OTT_TTL_SEC: must be a whole number[^]*SESSION_EXPIRY_SEC: must be longer/);
  expect(read).not.toThrow(/abc/);
});

test('an expiry without slack is allowed', () => {
  expect(stackSettings({ SESSION_EXPIRY_SLACK_SEC: '0' }).settings).toMatchObject({
    SESSION_EXPIRY_SLACK_SEC: '0',
  });
});
