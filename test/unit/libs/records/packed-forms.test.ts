import { packName } from '#libs/records/packing.ts';
import { inPairs, recordOf } from '#libs/records/store-context.ts';
import { sessionForm } from '../../../../services/game-session/adapters/session-form.ts';
import { launcherForm } from '../../../../services/launcher-gateway/adapters/launcher-form.ts';
import { ottForm } from '../../../../services/ott/adapters/ott-form.ts';

describe('what stands in Redis is read by the version after this one: who changes it once it is in a release changes the name of the version (D-57)', () => {
  const id = '3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47';
  const digest = '0123456789abcdef'.repeat(4);
  const shared = {
    ...{ version: 3, cafe_id: 'cafe-1', pc_id: `pc_${'3'.repeat(32)}`, launcher_session_id: id },
    ...{ is_pc_cafe: true, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  };
  const at = (sec: number) => 1_790_000_000_000 + 1000 * sec;

  test('a game session', () => {
    const session = {
      ...{ ...shared, game_session_id: `gs_${id}`, game_id: 'starfall', provider_user_id: 'u1' },
      ...{ state: 'ended', started_at_ms: at(0), last_seen_at_ms: at(120), deadline_at_ms: at(365) },
      ...{ exhausted_at_ms: at(60), ended_at_ms: at(125), end_reason: 'game_ended', reminders: 1 },
      ...{ play_duration_sec: 125, client_play_duration_sec: 124, partner_play_duration_sec: 125 },
    };

    expect(inPairs(sessionForm.packing.pack(session))).toMatchInlineSnapshot(`
      {
        "b": "1790000000000",
        "c": "cafe-1",
        "e": "1790000060000",
        "g": "starfall",
        "h": "1790000120000",
        "l": "Pw6KUnwdS36aUwxtXxsuRw",
        "r": "1",
        "s": "ended",
        "t": "125",
        "tc": "124",
        "tp": "125",
        "u": "u1",
        "w": "game_ended",
        "x": "qqqqqqqqqqqqqqqqqqqqqru7u7u7u7u7AQ",
        "z": "1790000125000",
      }
    `);
  });

  test('a token', () => {
    const claim = {
      ...{ presentation_id: id, game_session_id: `gs_${id}`, provider_user_id: 'u1', claimed_at_ms: at(2) },
      ...{ presented_event_id: id, deadline_ms: at(17), outage_policy: 'refuse' },
    };
    const token = {
      ...{ ...shared, token_hash: digest, game_id: 'starfall', ott_request_id: id, state: 'claimed', claim },
      ...{ issued_at_ms: at(0), expires_at_ms: at(60), deadline_at_ms: at(17), given_back_until_ms: at(90) },
      ...{ voids: digest, given_back_event_ids: [id] },
    };

    expect(inPairs(ottForm.packing.pack(token))).toMatchInlineSnapshot(`
      {
        "b": "1790000000000",
        "c": "cafe-1",
        "d": "17000",
        "h": "2000",
        "l": "Pw6KUnwdS36aUwxtXxsuRw",
        "n": "["3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47"]",
        "p": "Pw6KUnwdS36aUwxtXxsuRw",
        "q": "refuse",
        "r": "Pw6KUnwdS36aUwxtXxsuRw",
        "s": "claimed",
        "u": "u1",
        "v": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "w": "17000",
        "x": "qqqqqqqqqqqqqqqqqqqqqru7u7u7u7u7AQ",
        "y": "3f0e8a52-7c1d-4b7e-9a53-0c6d5f1b2e47",
        "z": "90000",
      }
    `);
  });

  test('a launcher session', () => {
    const session = {
      ...{ ...shared, id: `3${digest}`, token_hash: digest, state: 'live', ip: '203.0.113.10', key_id: 'k1' },
      ...{ key_fingerprint: digest, is_own_key: true, ends_at_ms: at(86_400), last_seen_at_ms: at(5) },
      ...{ deadline_at_ms: at(250), pending_since_ms: at(6) },
    };

    expect(inPairs(launcherForm.packing.pack(session))).toMatchInlineSnapshot(`
      {
        "a": "-889163510",
        "c": "cafe-1",
        "f": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "h": "1790000005000",
        "k": "k1",
        "l": "Pw6KUnwdS36aUwxtXxsuRw",
        "o": "1",
        "p": "1790000006000",
        "x": "qqqqqqqqqqqqqqqqqqqqqru7u7u7u7u7AQ",
        "z": "86395000",
      }
    `);
  });

  test('a launcher session whose key is named after its cafe, and shared by its PCs', () => {
    const session = {
      ...{ ...shared, id: `3${digest}`, token_hash: digest, state: 'live', ip: '203.0.113.10' },
      ...{ key_id: 'cafe-1.k1', key_fingerprint: digest.slice(0, 12), is_own_key: false },
    };

    const packed = inPairs(launcherForm.packing.pack(session));

    expect([packed['k'], packed['f'], packed['o']]).toEqual(['.k1', 'ASNFZ4mr', undefined]);
  });

  test('a launcher session whose UUID is told by its token, but for how many partitions it tells', () => {
    const uuid = '01234567-89ab-4def-8123-45030bd098cc';
    const told = { ...shared, token_hash: digest, launcher_session_id: uuid, ip: '203.0.113.10' };

    const packed = inPairs(launcherForm.packing.pack(told));

    expect([packed['l'], packed['n']]).toEqual([undefined, '48']);
    const read = recordOf(launcherForm, `3${digest}`, { ...packed, V: '3', O: shared.pc_id, h: '0' });
    expect(read).toMatchObject({ launcherSessionId: uuid, ip: '203.0.113.10' });
  });

  test('a launcher session as builds before wrote it: with its UUID, and its address as text', () => {
    const packed = {
      V: '3',
      O: shared.pc_id,
      c: 'cafe-1',
      a: '203.0.113.10',
      l: 'Pw6KUnwdS36aUwxtXxsuRw',
      h: '0',
    };

    const read = recordOf(launcherForm, `3${digest}`, packed);

    expect(read).toMatchObject({ launcherSessionId: id, ip: '203.0.113.10' });
  });

  test('a player whose id ends in a UUID', () => {
    expect(packName(`p-${id}`)).toBe('p-\u0001Pw6KUnwdS36aUwxtXxsuRw');
  });
});
