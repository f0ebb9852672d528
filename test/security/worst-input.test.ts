import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as game from '#libs/contracts/api/game.ts';
import * as settlement from '#libs/contracts/api/settlement.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { parseApiKey } from '#libs/catalog/api-key-format.ts';
import { readObjects } from '#libs/catalog/read-catalog-file.ts';
import { parseBody } from '#libs/http/body.ts';
import { addressSet, clientIp } from '#libs/http/client-ip.ts';
import { readSignature } from '#libs/http/signature.ts';
import { bundleType, unbundled } from '#libs/kafka/bundle.ts';
import { decodeValue } from '#libs/kafka/decode-event.ts';
import { extractTrace } from '#libs/runtime/tracing.ts';
import { csvLine } from '../../services/settlement/core/csv.ts';
import { parseJsonStream } from '../../services/settlement/core/json-stream.ts';
import { prefersCsv } from '../../services/settlement/statements/accept.ts';

const kib = 1024;
const folder = mkdtempSync(join(tmpdir(), 'gsb-worst-'));
afterAll(() => rmSync(folder, { recursive: true }));

const statement = (text: string, pieceBytes: number) => async () => {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  for await (const _ of parseJsonStream(pieces()));
};
const listOf = (object: string, size: number) =>
  `{"billings":[${Array.from({ length: Math.ceil(size / object.length) }, () => object).join()}]}`;
const body = (text: string) => () =>
  fromWire(game.verify.body, parseBody(Buffer.from(text), 'application/json'));
const signature = (member: string) => () => readSignature(`sig1=${member}`, 'sig1=:AA==:');
const trusted = { hops: 1, proxies: addressSet(['127.0.0.1']) };
const forwarded = (text: string) => () => clientIp('127.0.0.1', ['X-Forwarded-For', text], trusted);
const catalog = (text: string) => {
  const file = join(folder, `${text.length}.yaml`);
  writeFileSync(file, text);
  return () => readObjects(file);
};
const event = (text: string) => () => decodeValue('billing.renewed', Buffer.from(text));
const bundle = (text: string) => {
  const message = { key: null, value: Buffer.from(text), headers: { 'content-type': bundleType } };
  return () => unbundled({ topic: 'billing.v1', partition: 0, message: message as never });
};
const day = (text: string) => () =>
  settlement.getStatement.query.safeParse({ day: text, cafe: text, game: text });
const repeated = (text: string) => (size: number) => text.repeat(Math.ceil(size / text.length));

/** What is read, its worst text of a size, what reads it, and the largest size that gets so far, in bytes. */
type Row = [
  what: string,
  text: (size: number) => string,
  read: (text: string) => () => unknown,
  largest: number,
];
const rows: Row[] = [
  [
    'a statement in pieces of 64 bytes',
    (size) => listOf('{"a":{"b":[]}}', size),
    (text) => statement(text, 64),
    1024 * kib,
  ],
  [
    'a statement byte by byte',
    (size) => listOf('{"a":"},{"}', size),
    (text) => statement(text, 1),
    256 * kib,
  ],
  [
    'a billing that never ends, in pieces of 64 bytes',
    (size) => `{"billings":[{"a":"${'},{'.repeat(size / 3)}`,
    (text) => statement(text, 64),
    60 * kib,
  ],
  [
    'a billing of brackets',
    (size) => `{"billings":[{"a":${'['.repeat(size)}`,
    (text) => statement(text, 64),
    60 * kib,
  ],
  ['a head that never ends', repeated(' '), (text) => statement(text, 1), 1024 * kib],
  ['a body of nested lists', repeated('['), body, 16 * kib],
  ['a body of nested objects', repeated('{"a":'), body, 16 * kib],
  [
    'a body of many fields',
    (size) => `{${Array.from({ length: size / 10 }, (_, n) => `"${n}":1`).join()}}`,
    body,
    16 * kib,
  ],
  [
    'a body of a long id',
    (size) => `{"ott":"${'a-'.repeat(size / 2)}","provider_user_id":"${'é'.repeat(9)}"}`,
    body,
    16 * kib,
  ],
  ['a signature of many components', (size) => `(${'"@method" '.repeat(size / 10)})`, signature, 8 * kib],
  ['a signature of many parameters', (size) => `()${repeated(';created=1')(size)}`, signature, 8 * kib],
  ['a signature of backslashes', (size) => `("${'\\\\'.repeat(size / 2)}`, signature, 8 * kib],
  ['a chain of proxies', repeated('203.0.113.10, '), forwarded, 8 * kib],
  ['a chain of IPv6 addresses', repeated('[2001:db8::1]:443,'), forwarded, 8 * kib],
  ['an address of colons', repeated(':'), forwarded, 8 * kib],
  [
    'a key of one letter',
    (size) => `gsb_dev_aaaaaaaa_${'a'.repeat(size)}`,
    (text) => () => parseApiKey(text),
    8 * kib,
  ],
  ['a key of underscores', repeated('gsb_'), (text) => () => parseApiKey(text), 8 * kib],
  ['an Accept header of commas', repeated(','), (text) => () => prefersCsv(text), 8 * kib],
  ['an Accept header of weights', repeated(';q=1'), (text) => () => prefersCsv(text), 8 * kib],
  [
    'a trace of a caller',
    repeated('00-'),
    (text) => () => extractTrace({ traceparent: text, tracestate: text }),
    8 * kib,
  ],
  ['a day of digits', repeated('2026-11-20'), day, 8 * kib],
  ['an event of nested lists', repeated('['), event, 1024 * kib],
  ['a bundle of empty lines', repeated('\n'), bundle, 1024 * kib],
  ['a bundle of braces', repeated('{"data":\n'), bundle, 1024 * kib],
  ['a cell of quotes', repeated('"'), (text) => () => csvLine([text]), 1024 * kib],
  ['a catalogue of nested lists', repeated('['), catalog, 60 * kib],
  ['a catalogue of nested mappings', repeated('{a: '), catalog, 60 * kib],
  ['a catalogue of aliases', (size) => `a: &a [x]\nb: [${'*a,'.repeat(size / 3)}]\n`, catalog, 60 * kib],
  ['a catalogue of documents', repeated('---\n'), catalog, 60 * kib],
  [
    'a catalogue of indentation',
    (size) => Array.from({ length: Math.sqrt(size * 2) }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
    catalog,
    60 * kib,
  ],
];

/** The CPU time of this thread, in ms: what a busy machine or a collector in another thread takes is not in it. */
const tookMs = async (read: () => unknown): Promise<number> => {
  const began = process.threadCpuUsage();
  try {
    await read();
  } catch {
    // Most of these are refused; what counts is how long that takes.
  }
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
};

/** Whether eight times the bytes cost about 8 times as much, and not 64 as when quadratic. What takes less than 20 ms, or reads 10 MB a second, hurts nobody: quadratic reading of so much takes seconds. */
const isLinear = (bytes: number, small: number, large: number) =>
  large < Math.max(20, bytes / 10_000) || large < small * 24;

/** The fastest of so many: a cold cache or a collection of garbage is in some turns, not in each. */
const fastestMs = async (
  turns: number,
  read: () => unknown,
  isEnough = (_: number) => false,
): Promise<number> => {
  let fastest = await tookMs(read);
  for (let turn = 1; turn < turns && !isEnough(fastest); turn++) {
    fastest = Math.min(fastest, await tookMs(read));
  }
  return fastest;
};

test('a catalogue file of more than 64 KiB is refused before it is parsed', async () => {
  await expect(catalog('#'.repeat(64 * kib + 1))()).rejects.toThrow('is larger than 64 KiB');
});

test.each(rows)('%s costs as much more as it is longer', async (_, text, read, largest) => {
  const small = await fastestMs(3, read(text(largest / 8)));
  const large = await fastestMs(12, read(text(largest)), (ms) => isLinear(largest, small, ms));

  expect({ small, large, linear: isLinear(largest, small, large) }).toMatchObject({ linear: true });
  expect(large).toBeLessThan(3_000);
});

test.each([
  ['as many entries as fit', '::,'.repeat(2_450)],
  [
    'as many entries as are read',
    Array<string>(32)
      .fill(`[2001:db8::1%${'a'.repeat(200)}]:51234`)
      .join(),
  ],
  ['one long entry', `2001:db8::1%${'a'.repeat(7_000)}`],
])(
  'two hundred chains of proxies of %s cost less than thirty thousand short ones (D-20)',
  async (_, text) => {
    const rounds = (count: number, read: () => unknown) => () => Array.from({ length: count }, read);
    const short = await fastestMs(3, rounds(30_000, forwarded('203.0.113.10')));
    const isCheap = (ms: number) => ms < short;
    const long = await fastestMs(5, rounds(200, forwarded(text)), isCheap);

    expect({ short, long, isCheap: isCheap(long) }).toMatchObject({ isCheap: true });
  },
);
