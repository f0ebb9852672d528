import type { Faults } from './faults.ts';
import type { Link } from './link.ts';
import type { LinkFault } from './link-connection.ts';

/** The person asked for something that does not exist. */
export class BadCommand extends Error {}

/** How a command is written, and what it does; resolves to one line about what was done. */
interface Command {
  readonly usage: string;
  readonly does: string;
  readonly run: (faults: Faults, args: readonly string[]) => Promise<string>;
}

/** `kafka-2`, or `kafka-2 for ott-1`: a link, and the one process that is meant. */
const linkOf = async ({ links, nameOf }: Faults, args: readonly string[]): Promise<Meant> => {
  const [name = ''] = args;
  const [isFor, process] = args.slice(-2);
  const isLink = links.all().some((each) => each.name === name);
  const link = links.link(isLink ? name : await nameOf(name));
  return isFor === 'for' ? { link, from: await nameOf(process ?? '') } : { link, from: undefined };
};

interface Meant {
  readonly link: Link;
  readonly from: string | undefined;
}

const described = ({ link, from }: Meant): string =>
  from === undefined ? link.name : `${link.name} for ${from}`;

const onLink = (usage: string, does: string, faultOf: (args: readonly string[]) => LinkFault): Command => ({
  usage,
  does,
  run: async (faults, args) => {
    const fault = faultOf(args.slice(1));
    const meant = await linkOf(faults, args);
    meant.link.set(fault, meant.from);
    return `${described(meant)}: ${does}`;
  },
});

const held =
  (mode: 'delay' | 'linger') =>
  ([ms = '']: readonly string[]): LinkFault => {
    if (!/^\d{1,5}$/.test(ms)) throw new BadCommand('a delay is a number of milliseconds, below 100,000');
    return { mode, ms: Number(ms) };
  };

/** How long TCP of Linux waits at least before it sends again what was lost. */
const sentAgainAfterMs = 200;

const lossOf = ([share = '']: readonly string[]): LinkFault => {
  const percent = Number(/^(\d{1,2})%$/.exec(share)?.[1]);
  if (!(percent >= 1 && percent <= 50)) throw new BadCommand('a loss is a share from 1% to 50%');
  return { mode: 'lose', percent, ms: sentAgainAfterMs };
};

const onProcess = (verb: string, does: string, act: (faults: Faults, name: string) => unknown): Command => ({
  usage: `${verb} PROCESS`,
  does,
  run: async (faults, [wanted = '']) => {
    const name = await faults.nameOf(wanted);
    await act(faults, name);
    return `${name}: ${does}`;
  },
});

const halfOpen: Command = {
  usage: 'half-open LINK',
  does: 'connections that are open look open to the client only; new ones pass',
  run: async (faults, args) => {
    const meant = await linkOf(faults, args);
    meant.link.halfOpen(meant.from);
    return `${described(meant)}: what was connected is half-open`;
  },
};

const skew: Command = {
  usage: 'skew SERVICE +300s',
  does: 'starts a replica again with its clock off; 0s: as it should be',
  run: async (faults, [wanted = '', by = '']) => {
    const seconds = /^([+-]?\d{1,5})s?$/.exec(by)?.[1];
    if (seconds === undefined) throw new BadCommand('a clock is shifted by seconds, as +300s or -60s');
    const name = await faults.nameOf(wanted);
    await faults.skew(name, Number(seconds));
    return `${name}: its clock is ${by} off`;
  },
};

const promote: Command = {
  usage: 'promote',
  does: 'kills the primary of Postgres and promotes its standby; `rejoin` makes a new standby of it',
  run: async ({ postgres }) => {
    await postgres.promote();
    return `${postgres.primary()} is the primary of Postgres`;
  },
};

const rejoin: Command = {
  usage: 'rejoin',
  does: 'the killed server of Postgres begins again as a standby',
  run: async ({ postgres }) => {
    await postgres.rejoin();
    return `${postgres.primary()} has a standby`;
  },
};

const list: Command = {
  usage: 'list',
  does: 'what there is, and which faults are set',
  run: async ({ links, services, stores, redis, postgres }) => {
    const faulty = links
      .all()
      .flatMap(({ name, faults }) =>
        [...faults()].map(([from, { mode }]) => `${from === '*' ? name : `${name} for ${from}`} ${mode}`),
      );
    const primary = await redis.primary().catch(() => ({ name: 'none' }));
    return [
      `links      ${links
        .all()
        .map(({ name }) => name)
        .join(' ')}`,
      `processes  ${[...services, ...stores].join(' ')}`,
      `primaries  ${primary.name} ${postgres.primary()}`,
      `faults     ${faulty.join(', ') || 'none'}`,
    ].join('\n');
  },
};

/** Every command by its first word. */
export const commands: Readonly<Record<string, Command>> = {
  list,
  pass: onLink('pass LINK', 'everything passes', () => ({ mode: 'pass' })),
  delay: onLink('delay LINK 200', 'every byte is late by so many ms, in both directions', held('delay')),
  lose: onLink('lose LINK 5%', 'of what is sent so much is lost and sent again after 200 ms', lossOf),
  linger: onLink('linger LINK 5000', 'whoever closes is seen to do so that many ms later', held('linger')),
  cut: onLink('cut LINK', 'whoever is connected or connects is reset', () => ({ mode: 'cut' })),
  blackhole: onLink('blackhole LINK', 'accepts and swallows, as a host that died', () => ({
    mode: 'blackhole',
  })),
  'half-open': halfOpen,
  kill: onProcess('kill', 'killed with -9', (faults, name) => faults.kill(name)),
  start: onProcess('start', 'started again', (faults, name) => faults.start(name)),
  stop: onProcess('stop', 'stopped (SIGSTOP) until `continue`', ({ signal }, name) =>
    signal(name, 'SIGSTOP'),
  ),
  continue: onProcess('continue', 'goes on (SIGCONT)', ({ signal }, name) => signal(name, 'SIGCONT')),
  skew,
  promote,
  rejoin,
};

/** How each command is written, a line each. */
export const usage = (): string =>
  [
    ...Object.values(commands).map((each) => `  npm run fault -- ${each.usage.padEnd(20)} ${each.does}`),
    '  A LINK leads to a store or the partner; `LINK for PROCESS` is what one process has of it.',
  ].join('\n');

/** Runs the command in a line of text; resolves to what was done. Rejects with BadCommand, or with why it could not be done. */
export const runCommand = (faults: Faults, line: string): Promise<string> => {
  const [word = '', ...args] = line.trim().split(/\s+/);
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command === undefined)
    throw new BadCommand(`there is no command ${word || 'without a word'}\n${usage()}`);
  return command.run(faults, args);
};
