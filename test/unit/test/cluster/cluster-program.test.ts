import { environmentOf } from '../../../support/cluster-program.ts';

test('a comment behind what a program prints for a shell is no part of the value', () => {
  const printed = [
    'export KUBECONFIG=/state/admin.kubeconfig',
    'export CLUSTER_NODE_IP=10.99.0.1          # services answer here',
    'export PATH="/tools/bin:$PATH"',
  ];

  expect(environmentOf(printed.join('\n'))).toEqual({
    KUBECONFIG: '/state/admin.kubeconfig',
    CLUSTER_NODE_IP: '10.99.0.1',
    PATH: `/tools/bin:${process.env['PATH'] ?? ''}`,
  });
});
