import { readStartOptions } from '../../../../deploy/local/start-options.ts';

test.each<[string[], ReturnType<typeof readStartOptions>]>([
  [[], { once: false, topology: 'one', observe: false }],
  [['--once'], { once: true, topology: 'one', observe: false }],
  [['--topology', 'many'], { once: false, topology: 'many', observe: false }],
  [['--topology=many', '--once'], { once: true, topology: 'many', observe: false }],
  [['--observe'], { once: false, topology: 'one', observe: true }],
])('%j is understood', (args, options) => {
  expect(readStartOptions(args)).toEqual(options);
});

test.each([[['--topology', 'few']], [['--topology']], [['--twice']], [['many']]])(
  '%j is answered with what there is',
  (args) => {
    expect(() => readStartOptions(args)).toThrow(/npm start -- --topology many/);
  },
);
