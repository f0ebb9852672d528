import { readStartOptions } from '../../../../deploy/local/start-options.ts';

test.each<[string[], ReturnType<typeof readStartOptions>]>([
  [[], { once: false, topology: 'one' }],
  [['--once'], { once: true, topology: 'one' }],
  [['--topology', 'many'], { once: false, topology: 'many' }],
  [['--topology=many', '--once'], { once: true, topology: 'many' }],
])('%j is understood', (args, options) => {
  expect(readStartOptions(args)).toEqual(options);
});

test.each([[['--topology', 'few']], [['--topology']], [['--twice']], [['many']]])(
  '%j is answered with what there is',
  (args) => {
    expect(() => readStartOptions(args)).toThrow(/npm start -- --topology many/);
  },
);
