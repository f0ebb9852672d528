import { metric } from '../metric.ts';
import { counting, extreme, increased, look, series } from './expressions.ts';
import type { Alert } from './types.ts';

const runOut = 'gsb_catalog_keys_run_out_timestamp_seconds';
const weekSec = 604_800;
const refused = 'gsb_signature_refusals_total';
const none = 'None for those who do right.';

/** Who tries what he may not, and what looks alike. */
export const security: readonly Alert[] = [
  {
    name: 'GsbNonceReplays',
    severity: 'ticket',
    owner: 'security',
    expr: `${increased(refused, '10m', { reason: 'replayed' })} > 10`,
    summary: 'Signed launcher requests come a second time.',
    board: 'gsb-security',
    runbook: {
      meaning: 'A signature that was right once is used again (D-14).',
      impact: `${none} The repetitions are refused.`,
      diagnosis: [
        look('launcher-gateway', refused),
        'A proxy that repeats requests looks the same as an attacker.',
      ],
      mitigation: ['Switch retries off at the load balancer. If it is none of ours, change the cafe’s key.'],
    },
    proof: counting(refused, { reason: 'replayed' }),
  },
  {
    name: 'GsbSignatureRefusals',
    severity: 'ticket',
    owner: 'security',
    expr: `${increased(refused, '10m', { reason: '~mismatch|unknown_key|malformed|not_ours|shared_key|other_pc' })} > 30`,
    summary: 'Launchers are refused because their signatures are wrong.',
    board: 'gsb-security',
    runbook: {
      meaning:
        'Keys that are not known or may not sign for this PC (D-48), signatures that do not match, or a host that is none of ours (D-44).',
      impact: 'If it is a cafe, none of its PCs can start.',
      diagnosis: [look('launcher-gateway', refused)],
      mitigation: [
        'unknown_key: a key was taken out too early: put it back, two keys are valid at a time. Or it is new and refused: see GsbCatalogRefused.',
        'mismatch: a load balancer that changes path, host or body breaks every signature.',
        'not_ours: launchers call a host that the chart does not know: add it to `signedAuthorities`.',
        'shared_key: the cafe’s Secret says `shared: refused`, and PCs still sign with the key of the cafe. other_pc: a PC signs with the key of another one.',
      ],
    },
    proof: counting(refused, { reason: 'mismatch' }),
  },
  {
    name: 'GsbClientAddresses',
    severity: 'page',
    owner: 'platform',
    expr: `${increased('gsb_client_addresses_total', '5m', { decision: '!accepted' })} / (${increased('gsb_client_addresses_total', '5m')} > 20) > 0.5`,
    for: '5m',
    summary: 'The addresses of most launchers cannot be told.',
    board: 'gsb-session-start',
    runbook: {
      meaning:
        'Requests come from a peer or over a hop that is not trusted, with too few hops, or from a private address (D-20).',
      impact: 'Nobody starts: the address proves the cafe.',
      diagnosis: [look('launcher-gateway', 'gsb_client_addresses_total')],
      mitigation: [
        'untrusted: the gateway, or a load balancer before it, has other addresses than `clientIp.trustedCidrs`, or there is another number of hops.',
        'not_public: it replaces the address of the caller (SNAT).',
      ],
    },
    proof: counting('gsb_client_addresses_total', { decision: 'untrusted' }, 20),
  },
  {
    name: 'GsbInvalidApiKeys',
    severity: 'ticket',
    owner: 'security',
    expr: `${increased('gsb_http_refusals_total', '10m', { code: 'INVALID_API_KEY' })} > 50`,
    summary: 'Game servers call with API keys that are not valid.',
    board: 'gsb-security',
    runbook: {
      meaning: 'A key expired or was taken out, or somebody guesses.',
      impact: 'If it is a game, none of its players gets in, and those who play expire.',
      diagnosis: [
        look('game-session', 'gsb_http_refusals_total'),
        look('game-session', 'gsb_heartbeats_total'),
      ],
      mitigation: [
        'A key that is new and refused: see GsbCatalogRefused.',
        'A game whose heartbeats stopped needs a key: give its operator the one that this prints, and store the YAML.',
        '`npm run key -- create --game starfall`',
      ],
    },
    proof: counting('gsb_http_refusals_total', { code: 'INVALID_API_KEY' }, 20),
  },
  {
    name: 'GsbCatalogRefused',
    severity: 'ticket',
    owner: 'security',
    expr: `${extreme('max', 'gsb_catalog_refused_objects', {}, 'kind')} > 0`,
    for: '5m',
    summary:
      'The catalogue has an object of kind {{ $labels.kind }} that is refused, so the change in it does not count.',
    board: 'gsb-security',
    runbook: {
      meaning:
        'A Game, a launcher key (kind Secret) or an Operator is not valid, or claims a name or key id that another one has (D-32). Kind file: a catalogue folder has a file that cannot be read, or two that conflict.',
      impact:
        'Who knew its last accepted version goes on with that one: a new key does not work, one that was taken out still does. A pod that starts now does not know the object at all, and one with a folder that has such a file does not start.',
      diagnosis: [
        look('game-session', 'gsb_catalog_refused_objects'),
        look('launcher-gateway', 'gsb_catalog_refused_objects'),
        look('settlement', 'gsb_catalog_refused_objects'),
        'The log of a service that tells more than 0 names each object and what is wrong with it, never its values. Of a Game, `kubectl get games` shows it too, under ACCEPTED and REASON.',
      ],
      mitigation: [
        'Correct the object, or put back what it was: that counts within ten seconds, without a restart.',
        'Until then restart none of these services, and put off a rollout.',
      ],
    },
    proof: {
      firing: series('gsb_catalog_refused_objects', { kind: 'Game' }, '0x5 1x60'),
      resting: series('gsb_catalog_refused_objects', { kind: 'Game' }, '0x66'),
      afterMin: 15,
    },
  },
  {
    name: 'GsbKeysRunOut',
    severity: 'ticket',
    owner: 'security',
    expr: `min by (deployment_environment_name, kind) (${metric(runOut)} > 0) - time() < ${weekSec}`,
    summary: 'Within a week an object of kind {{ $labels.kind }} has no valid key any more.',
    board: 'gsb-security',
    runbook: {
      meaning:
        'The `notAfter` of the last key of a Game or an Operator comes near. A key that another one outlasts is none of these: a rotation is quiet.',
      impact:
        'Game: from then on none of its players gets in, and those who play expire. Operator: its statements and commands are refused. Launcher keys do not end by themselves.',
      diagnosis: [
        look('game-session', runOut),
        look('settlement', runOut),
        'Whose it is stands in the catalogue: `kubectl get games,operators -o yaml`, or the YAML of the folder.',
      ],
      mitigation: [
        'Give its owner a new key before that time, and store the YAML beside the old one. Of a game:',
        '`npm run key -- create --game starfall`',
        'Somebody who is to have no access any more: remove the object, and the alert ends.',
      ],
    },
    proof: {
      firing: series(runOut, { kind: 'Game' }, '500000x66'),
      resting: {
        ...series(runOut, { kind: 'Game' }, '900000x66'),
        ...series(runOut, { kind: 'Operator' }, '0x66'),
      },
      afterMin: 15,
    },
  },
  {
    name: 'GsbForeignTokens',
    severity: 'ticket',
    owner: 'security',
    expr: `${increased('gsb_ott_refusals_total', '15m', { reason: 'GAME_MISMATCH' })} > 20`,
    summary: 'A game presents the tokens of another game.',
    board: 'gsb-security',
    runbook: {
      meaning: 'Verify was called with a token that was issued for another game.',
      impact: `${none} A token is not spent by it (D-03).`,
      diagnosis: [look('ott', 'gsb_ott_refusals_total'), look('game-session', 'gsb_verifies_total')],
      mitigation: ['One game: it has the API key of another. Several: somebody tries tokens.'],
    },
    proof: counting('gsb_ott_refusals_total', { reason: 'GAME_MISMATCH' }),
  },
  {
    name: 'GsbTokensUsedTwice',
    severity: 'ticket',
    owner: 'security',
    expr: `${increased('gsb_ott_refusals_total', '15m', { reason: 'OTT_ALREADY_USED' })} > 100`,
    summary: 'Tokens are presented a second time, in numbers.',
    board: 'gsb-security',
    runbook: {
      meaning: 'Somebody shares tokens, or a game server repeats verify without an Idempotency-Key.',
      impact: `${none} A token becomes one session at most (I1).`,
      diagnosis: [look('ott', 'gsb_ott_refusals_total'), look('game-session', 'gsb_verifies_total')],
      mitigation: [
        'Ask the game’s operator whether it repeats; an Idempotency-Key gives it the same answer (D-15).',
      ],
    },
    proof: counting('gsb_ott_refusals_total', { reason: 'OTT_ALREADY_USED' }, 20),
  },
];
