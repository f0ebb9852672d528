import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '#libs/runtime/config.ts';
import {
  bounds,
  createPartnerCircuit,
  usualInFlight,
} from '../../../../services/billing-adapter/adapters/circuit-breakers.ts';
import { inFlightOf, mostInFlight, schema } from '../../../../services/billing-adapter/config.ts';
import { root } from '../../../charts/renders.ts';

const needed = {
  KAFKA_BROKERS: 'kafka:9092',
  PARTNER_URL: 'http://partner',
  PARTNER_TOKEN: 'a-partner-token',
};
const variables = [
  'PARTNER_CHECKS_IN_FLIGHT',
  'PARTNER_STARTS_IN_FLIGHT',
  'PARTNER_RENEWALS_IN_FLIGHT',
  'PARTNER_STOPS_IN_FLIGHT',
];
/** What billing-adapter reads when each of its bulkheads is set to so many calls. */
const inFlightWith = (calls: string) =>
  inFlightOf(
    readConfig(schema, { ...needed, ...Object.fromEntries(variables.map((name) => [name, calls])) }),
  );
const metrics = {
  gauge: () => ({ set: () => undefined }),
  counter: () => ({ inc: () => undefined }),
};
const log = { warn: () => undefined, info: () => undefined };

describe('how many calls are in flight at the partner is a setting of each operation (D-27)', () => {
  test('without it, as many as the chart gives', () => {
    const values = parse(readFileSync(join(root, 'charts/gsb/values.yaml'), 'utf8')) as {
      partner: { inFlight: unknown };
    };

    expect(inFlightOf(readConfig(schema, needed))).toEqual(usualInFlight);
    expect(values.partner.inFlight).toEqual(usualInFlight);
  });

  test('each operation has its own', () => {
    const env = Object.fromEntries(variables.map((name, at) => [name, String(at + 1)]));

    const inFlight = inFlightOf(readConfig(schema, { ...needed, ...env }));

    expect(inFlight).toEqual({ check: 1, start: 2, renew: 3, stop: 4 });
  });

  test.each(['0', '97', 'many'])('%s calls are refused, by the names of the settings', (calls) => {
    for (const name of variables) expect(() => inFlightWith(calls)).toThrow(name);
  });

  test.each([1, 16, 96])('%i are in flight, and one more waits', (calls) => {
    const inFlight = inFlightWith(String(calls)).start;
    const circuit = createPartnerCircuit('start', {
      ...{ inFlight, isFailure: () => false, log, metrics },
    } as never);
    let called = 0;

    for (let call = 0; call < calls + 1; call += 1)
      void circuit.run(() => {
        called += 1;
        return new Promise(() => undefined);
      }, undefined);

    expect(called).toBe(calls);
  });
});

describe('no operation of the partner starves another (D-27)', () => {
  const pausesAbove = 2_000;
  const most = inFlightWith(String(mostInFlight));

  test('all that they hold together does not make the consumer pause, whatever is set; renewals, of which there may be more, pause heartbeats only', () => {
    const inHand = (['check', 'start', 'stop'] as const).map(
      (operation) => most[operation] + bounds[operation].waiting,
    );

    expect(inHand.reduce((sum, each) => sum + each)).toBeLessThan(pausesAbove);
  });

  test('stops that wait on the log for their turn have a place when it comes, whatever is set (D-60)', () => {
    const handledAtOnce = 2 * most.stop;

    expect(handledAtOnce).toBeLessThan(most.stop + bounds.stop.waiting);
  });

  test('of a thousand stops that the partner does not answer, all but those of the bulkhead go to the log at once', async () => {
    const { stop: inFlight } = usualInFlight;
    const circuit = { inFlight, isFailure: () => false, log, metrics } as never;
    const { run } = createPartnerCircuit('stop', circuit);
    const { promise: never, resolve: heal } = Promise.withResolvers<string>();
    const bulkhead = inFlight + bounds.stop.waiting;

    const stops = Array.from({ length: 1_000 }, () => run(() => never, 'to the log'));
    const rejected = stops.slice(bulkhead);

    expect(new Set(await Promise.all(rejected))).toEqual(new Set(['to the log']));
    heal('stopped');
    expect(new Set(await Promise.all(stops.slice(0, bulkhead)))).toEqual(new Set(['stopped']));
  });
});
