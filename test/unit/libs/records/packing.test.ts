import fc from 'fast-check';
import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { ottRecord } from '#libs/contracts/events/otts.ts';
import { toWire } from '#libs/contracts/wire.ts';
import { mostPartitions, withPin } from '#libs/kernel/partition-pins.ts';
import { gameSessionIdFor, shards, uuidOfDigest } from '#libs/kernel/shards.ts';
import { packing, scriptNames } from '#libs/records/packing.ts';
import type { Wire } from '#libs/records/packing.ts';
import type { RecordForm } from '#libs/records/record-types.ts';
import { inPairs, recordOf } from '#libs/records/store-context.ts';
import { sessionForm } from '../../../../services/game-session/adapters/session-form.ts';
import { launcherForm } from '../../../../services/launcher-gateway/adapters/launcher-form.ts';
import { launcherSession } from '../../../../services/launcher-gateway/core/launcher-session.ts';
import { tokenHashOf } from '../../../../services/launcher-gateway/adapters/session-ids.ts';
import { ottForm } from '../../../../services/ott/adapters/ott-form.ts';

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...shards), minLength: length, maxLength: length });
const uuid = fc.uuid({ version: 4 });
const ms = fc.integer({ min: 0, max: 4_102_444_800_000 });
const sec = fc.nat();
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });
const pcId = hex(32).map((digits) => `pc_${digits}`);
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 90 })
  .filter((each) => !/\p{Cc}/u.test(each));
/** Many games call their players by UUIDs. */
const user = fc.oneof(
  text,
  uuid,
  fc.tuple(text, uuid).map((parts) => parts.join('')),
  uuid.map((id) => `p-${id.toUpperCase()}`),
);
const sessionId = uuid.map((id) => `gs_${id}`);
/** Of a trace that is kept. */
const flags = hex(2).filter((each) => each !== '00');
const trace = fc.tuple(hex(32), hex(16), flags).map((parts) => `00-${parts.join('-')}`);
const traceparent = orNull(fc.oneof(trace, hex(55)));
const common = {
  version: fc.integer({ min: 1, max: 1e9 }),
  is_pc_cafe: fc.boolean(),
  traceparent,
  deadline_at_ms: ms,
};
const seat = { cafe_id: fc.constant('cafe-1'), pc_id: pcId, launcher_session_id: uuid };

const sessions = fc.record({
  ...{
    ...common,
    ...seat,
    game_session_id: sessionId,
    game_id: fc.constant('starfall'),
    provider_user_id: user,
  },
  state: fc.constantFrom(...gameSession.shape.state.options),
  ...{ started_at_ms: ms, last_seen_at_ms: ms, exhausted_at_ms: orNull(ms), ended_at_ms: orNull(ms) },
  end_reason: orNull(fc.constantFrom('silence', 'grace_over')),
  ...{
    play_duration_sec: sec,
    client_play_duration_sec: orNull(sec),
    partner_play_duration_sec: orNull(sec),
  },
  reminders: fc.nat({ max: 99 }),
});
const claims = fc.record({
  ...{ presentation_id: uuid, game_session_id: sessionId, provider_user_id: user, claimed_at_ms: ms },
  ...{ presented_event_id: orNull(uuid), deadline_ms: orNull(ms) },
  outage_policy: fc.constantFrom('continue', 'refuse'),
});
const anyTokens = fc.record({
  ...{ ...common, ...seat, token_hash: hex(64), game_id: fc.constant('starfall'), ott_request_id: uuid },
  state: fc.constantFrom(...ottRecord.shape.state.options),
  ...{ issued_at_ms: ms, expires_at_ms: ms, claim: orNull(claims), given_back_until_ms: orNull(ms) },
  voids: orNull(hex(64)),
  given_back_event_ids: fc.array(uuid, { maxLength: 3 }),
});
/** As a first claim makes it: the session is told by the presentation and the PC. */
const claimedFirst = anyTokens.map((token) => {
  const { claim, pc_id: pc } = token;
  return claim
    ? { ...token, claim: { ...claim, game_session_id: gameSessionIdFor(claim.presentation_id, pc) } }
    : token;
});
/** As a gateway requests it, and with the usual deadlines. */
const asUsual = claimedFirst.map((token) => {
  const { token_hash: tokenHash, issued_at_ms: at } = token;
  const deadlines = { expires_at_ms: at + 60_000, deadline_at_ms: at + 86_400_000 };
  return { ...token, ...deadlines, ott_request_id: uuidOfDigest(tokenHash) };
});
const tokens = fc.oneof(anyTokens, claimedFirst, asUsual);
const launchers = fc
  .record({
    ...{
      ...common,
      ...seat,
      token_hash: hex(64),
      state: fc.constantFrom(...launcherSession.shape.state.options),
    },
    ...{
      ip: fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        fc.constantFrom('0.0.0.0', '255.255.255.255', '::ffff:203.0.113.10'),
      ),
      key_id: orNull(fc.constantFrom('k1', 'cafe-1.k1', 'cafe-10.k1')),
      key_fingerprint: orNull(fc.oneof(hex(64), hex(12))),
    },
    ...{
      is_own_key: orNull(fc.boolean()),
      ends_at_ms: orNull(ms),
      last_seen_at_ms: ms,
      pending_since_ms: orNull(ms),
    },
  })
  .map((session) => ({ ...session, id: session.pc_id.charAt(3) + session.token_hash }))
  .chain((session) =>
    fc.constantFrom(session, { ...session, deadline_at_ms: session.last_seen_at_ms + 245_000 }),
  )
  .chain((session) => {
    const id = `${session.pc_id.charAt(3)}${Buffer.from(session.token_hash.slice(0, 28), 'hex').toString('base64url')}`;
    return fc.constantFrom(session, { ...session, id, token_hash: tokenHashOf(id) });
  })
  .chain((session) => {
    // Of its token, of anything, and of its token but for the digit that no pin checks.
    const told = uuidOfDigest(session.token_hash);
    const uuids = fc.oneof(fc.constantFrom(told, `e${told.slice(1)}`, `f${told.slice(1)}`), uuid);
    const pins = fc.integer({ min: 1, max: mostPartitions });
    const pinned = fc.tuple(uuids, pins).map(([id, partitions]) => withPin(id, partitions));
    return pinned.chain((id) => fc.constantFrom(session, { ...session, launcher_session_id: id }));
  });

const stands = <R>(form: RecordForm<R>, id: string, owner: string, record: Wire) => {
  const { version, owner: ownerName } = scriptNames.packed;
  const packed = inPairs(form.packing.pack(record));
  const hash = { ...packed, [version]: String(record['version']), [ownerName]: owner };
  return toWire(recordOf(form, id, hash));
};

describe('a packed record is the record again', () => {
  test('of a game session', () => {
    fc.assert(
      fc.property(sessions, (session) => {
        expect(stands(sessionForm, session.game_session_id, session.pc_id, session)).toEqual(session);
      }),
    );
  });

  test('of a token, with its claim or without', () => {
    fc.assert(
      fc.property(tokens, (token) => {
        const seat = `${token.pc_id}/${token.game_id}`;
        expect(stands(ottForm, token.token_hash, seat, token)).toEqual(token);
      }),
    );
  });

  test('of a launcher session', () => {
    fc.assert(
      fc.property(launchers, (session) => {
        expect(stands(launcherForm, session.id, session.pc_id, session)).toEqual(session);
      }),
    );
  });
});

test('of a trace that is not kept its id stands, which every line of the log has, and no span, which nobody has (D-52, D-57)', () => {
  const { pack, unpack } = packing({ traces: { traceparent: 'x' } });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

  const [name = '', packed = ''] = pack({ traceparent: `00-${trace}-00f067aa0ba902b7-00` });

  expect(packed).toHaveLength(22);
  expect(unpack({ [name]: packed })).toEqual({ traceparent: `00-${trace}-${trace.slice(0, 16)}-00` });
});

test('an instant as far from another as it nearly always is takes nothing', () => {
  const names = { numbers: { seen_at_ms: 'h', due_at_ms: 'd' } };
  const form = { since: { due_at_ms: 'seen_at_ms' }, usual: { due_at_ms: 245_000 } };
  const { pack, unpack } = packing(names, form);

  expect(pack({ seen_at_ms: 1_000, due_at_ms: 246_000 })).toEqual(['h', '1000']);
  expect(unpack({ h: '1000' })).toEqual({ seen_at_ms: 1_000, due_at_ms: 246_000 });
  expect(pack({ seen_at_ms: 1_000, due_at_ms: 245_000 })).toEqual(['h', '1000', 'd', '244000']);
});

test.each(['version', 'owner', 'full_at', 'json', 'V', 'O', 'F'])(
  'no field takes the name %s, which scripts know',
  (name) => {
    expect(() => packing({ texts: { state: name } })).toThrow('no field of a record can be called');
  },
);

test.each([
  ['expires_at_ms', 'begun_at_ms'],
  ['expires_at_ms', 'claim.at_ms'],
  ['chained_at_ms', 'expires_at_ms'],
])('%s is not counted from %s: it would be read as another instant', (path, origin) => {
  const numbers = { issued_at_ms: 'b', expires_at_ms: 'e', chained_at_ms: 'k', 'claim.at_ms': 'h' };
  const since = { expires_at_ms: 'issued_at_ms', [path]: origin };

  expect(() => packing({ numbers }, { since })).toThrow(`${path} cannot be counted from ${origin}`);
});
