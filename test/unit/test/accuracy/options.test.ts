import { readOptions } from '../../../accuracy/options.ts';

const faultsOf = (...args: string[]) => readOptions(args).faults;

describe('the command line of the accuracy run', () => {
  test('names faults, each with its length or without', () => {
    expect(faultsOf('--topology', 'many', '--faults', 'kill kafka-2 for 4 s, move leaders')).toEqual([
      { name: 'kill kafka-2', forSec: 4 },
      { name: 'move leaders', forSec: 0 },
    ]);
    expect(faultsOf('--faults', 'kill Kafka, balance for 6 s, duplicate events')).toHaveLength(3);
  });

  test.each([
    [['--faults', 'kill kafak'], "--faults: 'kill kafak' is no fault of --topology one"],
    [['--faults', 'stop Kafka, move leaders'], "--faults: 'move leaders' is no fault of --topology one"],
    [
      ['--faults', 'kill Kafka', '--topology', 'many'],
      "--faults: 'kill Kafka' is no fault of --topology many",
    ],
    [['--faults', ''], "--faults: '' is no fault"],
    [['--faults', 'partner for 5 s'], "--faults: 'partner' is no fault"],
    [['--minutes', 'long'], '--minutes must be a number'],
  ])('refuses %j before anything starts', (args, told) => {
    expect(() => readOptions(args)).toThrow(told);
  });
});
