import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { maxBodyBytes, readBody } from '#libs/http/body.ts';
import { collectGarbage } from '../../../support/collect-garbage.ts';
import { eventually } from '../../../support/eventually.ts';

const asRequest = <S extends Readable>(stream: S, headers: IncomingMessage['headers'] = {}) =>
  Object.assign(stream, { headers }) as unknown as IncomingMessage & S;

/** Each piece is an object of its own, as those are that the parser of HTTP makes. */
const inPieces = function* (bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
};

const longest = Buffer.from(Array.from({ length: maxBodyBytes }, (_, at) => at % 251));

test.each([1, 3, 1_000, 9_000, maxBodyBytes])(
  'a body is what has come, in pieces of %d bytes',
  async (size) => {
    expect((await readBody(asRequest(Readable.from(inPieces(longest, size))))).equals(longest)).toBe(true);
  },
);

test('no body is empty', async () => {
  expect(await readBody(asRequest(Readable.from([])))).toHaveLength(0);
});

const tooLong = Buffer.concat([longest, Buffer.from('x')]);
test.each([
  ['by what has come', {}],
  ['by what it says', { 'content-length': String(tooLong.length) }],
])('one byte more is too much, %s, and the rest is read and thrown away', async (_, headers) => {
  const request = asRequest(Readable.from(inPieces(tooLong, 1_000)), headers);
  const read = finished(request);

  await expect(readBody(request)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  await read;
});

test('a body whose connection ends in the middle of it, or before it was read, has not come whole', async () => {
  const request = asRequest(new PassThrough());
  const reading = readBody(request);
  request.write('x');
  request.destroy();

  await expect(reading).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(readBody(request)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

/** Does the work; resolves when memory has grown by less than so many bytes, as soon as V8 has given back what is garbage. */
const growsByLess = async (bytes: number, work: () => void): Promise<void> => {
  const taken = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = taken();
  work();
  await eventually(
    async () => taken() - before,
    (grown) => grown < bytes,
  );
};
const openBodies = (count: number) =>
  Array.from({ length: count }, () => asRequest(new PassThrough({ highWaterMark: 2 * maxBodyBytes })));

test('a body that comes byte by byte takes little more memory than its bytes', async () => {
  const bodies = openBodies(20);
  const reading = bodies.map((body) => readBody(body));

  await growsByLess(3_000_000, () => {
    for (const body of bodies) for (const piece of inPieces(longest, 1)) body.write(piece);
  });
  for (const body of bodies) body.end();

  for (const each of await Promise.all(reading)) expect(each).toHaveLength(maxBodyBytes);
});

test('nor does the beginning of one hold memory that Node shares out to others', async () => {
  const bodies = openBodies(1_000);
  const reading = bodies.map((body) => readBody(body));

  await growsByLess(10_000_000, () => {
    for (const body of bodies) {
      for (const piece of ['x', 'y']) body.write(Buffer.from(piece));
      Buffer.from('others '.repeat(4_000));
    }
  });
  for (const body of bodies) body.end();

  for (const each of await Promise.all(reading)) expect(each.toString()).toBe('xy');
});
