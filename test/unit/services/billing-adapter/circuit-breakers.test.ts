import { createMetrics } from '#libs/runtime/metrics.ts';
import { createPartnerCircuit } from '../../../../services/billing-adapter/adapters/circuit-breakers.ts';
import { until } from '../../../support/eventually.ts';

const enoughToOpen = 10;

/** A circuit that soon tries again, with a partner that is away until it is healed. */
const withPartner = () => {
  const world = { calls: 0, answer: 'away' };
  const said: string[] = [];
  const metrics = createMetrics('billing-adapter');
  const note = (_: object, message: string): void => void said.push(message);
  const circuit = createPartnerCircuit('stop', {
    inFlight: 16,
    isFailure: (outcome) => outcome === 'away',
    log: { warn: note, info: note } as never,
    metrics,
    probeAfterMs: 1,
  });
  const call = () =>
    circuit.run(async () => {
      world.calls += 1;
      return world.answer;
    }, 'not called');
  /** Calls until so many calls more have reached the partner. */
  const reach = (more: number) => {
    const wanted = world.calls + more;
    return until(async () => (await call(), world.calls >= wanted), 'the partner was called');
  };
  const state = async () => /gsb_partner_circuit_state\{.*\} (\d)/.exec(await metrics.text())?.[1];
  return { world, said, reach, state };
};

test('an outage of the partner is logged when it begins and when it is over, however often it is tried meanwhile (D-27)', async () => {
  const { world, said, reach } = withPartner();

  await reach(enoughToOpen);
  await reach(3);
  world.answer = 'stopped';
  await reach(1);

  expect(said).toEqual(['the partner is left alone: half of the calls failed', 'the partner answers again']);
});

test('the next outage is logged again', async () => {
  const { world, said, reach } = withPartner();

  await reach(enoughToOpen);
  world.answer = 'stopped';
  await reach(1);
  world.answer = 'away';
  await reach(enoughToOpen);

  expect(said.filter((message) => message.startsWith('the partner is left alone'))).toHaveLength(2);
});

test('an open circuit that nobody needs is told as half open: the next call probes it (D-27)', async () => {
  const { reach, state } = withPartner();
  await reach(enoughToOpen);

  await until(async () => (await state()) === '1', 'the circuit is half open');
});
