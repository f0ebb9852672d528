import { timeShares } from '../../../bench/profile/time-shares.ts';

const modules = 'file:///app/node_modules';
const frames: [functionName: string, url: string, children: number[]][] = [
  ['(root)', '', [2, 9, 10]],
  ['handle', 'file:///app/libs/http/server.ts', [3, 5, 7]],
  ['send', `${modules}/kafkajs/src/network/connection.js`, [4]],
  ['writeBuffer', '', []],
  ['parse', `${modules}/zod/v4/core/parse.js`, [6]],
  ['test', '', []],
  ['command', `${modules}/ioredis/built/Redis.js`, [8]],
  ['next', 'node:internal/process/task_queues', []],
  ['(idle)', '', []],
  ['(garbage collector)', '', []],
];
const nodes = frames.map(([functionName, url, children], index) => ({
  ...{ id: index + 1, callFrame: { functionName, url }, children },
}));
const profileOf = (...samples: number[]) => ({ nodes, samples, timeDeltas: samples.map(() => 250) });

describe('where a service spends its time', () => {
  test('is told by what each sample ran in, the largest first, without the time when nothing ran', () => {
    expect(timeShares(profileOf(2, 2, 9, 9, 9, 10, 3, 3, 3, 3, 7))).toEqual([
      ['Kafka client', 0.5],
      ["the product's own code", 0.25],
      ['garbage collection', 0.125],
      ['Redis client', 0.125],
    ]);
  });

  test('counts native code as its caller, and writing to a socket as that', () => {
    expect(timeShares(profileOf(6, 4, 8))).toEqual(
      expect.arrayContaining([
        ['schemas', 1 / 3],
        ['sockets', 1 / 3],
        ['the rest of Node', 1 / 3],
      ]),
    );
  });
});
