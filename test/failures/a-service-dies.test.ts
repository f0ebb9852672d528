import { readStack } from '#simulators/stack-file.ts';
import { eventually } from '../support/eventually.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { askSettlement } from '../support/settlement.ts';
import { gameServerOf, newPlayer } from '../support/suite-stack.ts';

const own = useOwnStack();

/** A whole visit: token, verify, heartbeat, end, and the line in the ledger. */
const visit = async (): Promise<boolean> => {
  const facts = own.stack.facts();
  const { id, user } = await newPlayer(facts);
  const server = gameServerOf(facts);
  const beaten = await server.heartbeat(id, user);
  const ended = await server.end(id);
  const entry = await eventually(
    async () => (await askSettlement(facts, `sessions/${id}`)).status,
    (status) => status === 200,
    8_000,
  );
  return beaten.ok && ended.ok && entry === 200;
};

test.each(['launcher-gateway', 'ott', 'billing-adapter', 'game-session', 'settlement'])(
  'after kill -9 of %s it is started again at once, that is said, and a player can visit again',
  async (name) => {
    const before = own.stack.service(name).pid();
    own.stack.service(name).kill('SIGKILL');
    await eventually(
      async () => own.stack.service(name).pid(),
      (pid) => pid !== before,
      20_000,
    );

    await eventually(
      () => visit().catch(() => false),
      (ok) => ok,
      30_000,
    );

    expect(
      own.printed.some((line) => line.includes(`${name} ended (killed); starting it again in 0.1 s`)),
    ).toBe(true);
    const { processes } = await readStack(own.stack.path);
    expect(processes.find(({ service }) => service === name)?.pid).toBe(own.stack.service(name).pid());
  },
  45_000,
);
