import { readStartOptions } from '../../../../deploy/local/start-options.ts';

test.each<[string[], ReturnType<typeof readStartOptions>]>([
  [[], { once: false, topology: 'one', redis: 'sentinel', observe: false }],
  [['--once'], { once: true, topology: 'one', redis: 'sentinel', observe: false }],
  [['--topology', 'many'], { once: false, topology: 'many', redis: 'sentinel', observe: false }],
  [['--topology=many', '--once'], { once: true, topology: 'many', redis: 'sentinel', observe: false }],
  [
    ['--topology=many', '--redis=cluster'],
    { once: false, topology: 'many', redis: 'cluster', observe: false },
  ],
  [['--observe'], { once: false, topology: 'one', redis: 'sentinel', observe: true }],
])('%j is understood', (args, options) => {
  expect(readStartOptions(args)).toEqual(options);
});

test.each([
  [['--topology', 'few']],
  [['--topology']],
  [['--twice']],
  [['--redis', 'cluster']],
  [['--topology=many', '--redis=ring']],
  [['many']],
])('%j is answered with what there is', (args) => {
  expect(() => readStartOptions(args)).toThrow(/npm start -- --topology many/);
});
