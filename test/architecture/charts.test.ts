import { readKinds } from '../charts/kinds.ts';
import { kubernetesObject } from '../charts/objects.ts';
import { judge } from '../charts/policies/all.ts';
import { untold } from '../charts/covered.ts';

const fields = (properties: Record<string, unknown>) => ({ type: 'object', properties });
const crds = (authorization: Record<string, unknown>) =>
  JSON.stringify({
    items: [
      {
        spec: {
          group: 'kafka.strimzi.io',
          names: { kind: 'KafkaUser' },
          versions: ['v1', 'v1beta2', 'v1alpha1'].map((name) => ({
            name,
            served: name !== 'v1alpha1',
            schema: {
              openAPIV3Schema: fields({ spec: fields({ authorization: fields(authorization) }) }),
            },
          })),
        },
      },
    ],
  });
const user = (apiVersion: string, authorization: Record<string, unknown>) =>
  kubernetesObject.parse({
    apiVersion,
    kind: 'KafkaUser',
    metadata: { name: 'gsb-ott' },
    spec: { authorization },
  });
const table = 'pods  po  v1  true  Pod\nkafkausers  ku  kafka.strimzi.io/v1  true  KafkaUser\n';

describe('what an API server is asked about the charts', () => {
  test('every version that is served is judged, not only the preferred one', () => {
    const kinds = readKinds(table, crds({ type: {} }));
    expect(kinds.knows(user('kafka.strimzi.io/v1beta2', {}))).toBe(true);
    expect(kinds.knows(user('kafka.strimzi.io/v1alpha1', {}))).toBe(false);
  });

  test('a known field that the CRD lacks is left out and said; any other unknown field is asked about', () => {
    const kinds = readKinds(table, crds({ type: {} }));
    const { object, gaps } = kinds.judgeable(
      user('kafka.strimzi.io/v1', { type: 'simple', acls: [], colour: 'blue' }),
    );
    expect(object.spec).toEqual({ authorization: { type: 'simple', colour: 'blue' } });
    expect(gaps.map(({ path }) => path.join('.'))).toEqual(['spec.authorization.acls']);
  });

  test("where the CRD has the field, as the operator's own has, it is judged", () => {
    const whole = user('kafka.strimzi.io/v1', { type: 'simple', acls: [] });
    expect(readKinds(table, crds({ type: {}, acls: {} })).judgeable(whole)).toEqual({
      object: whole,
      gaps: [],
    });
  });
});

describe('the policies of the charts', () => {
  const settlement = (env: { name: string; value: string }[]) =>
    kubernetesObject.parse({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'migrate' },
      spec: {
        template: {
          metadata: { labels: { 'app.kubernetes.io/name': 'gsb' } },
          spec: {
            containers: [{ name: 'migrate', image: 'gsb:1', args: ['services/settlement/migrate.ts'], env }],
          },
        },
      },
    });

  test('a program without a variable that it needs is found, and one that nobody reads', () => {
    const found = judge([settlement([{ name: 'DATABASE_URI', value: 'postgres://x' }])]);
    expect(found).toContain('Job/migrate: DATABASE_URL: is not set');
    expect(found).toContain(
      'Job/migrate: DATABASE_URI is set, and services/settlement/migrate.ts does not read it',
    );
  });

  test('a variable may only name what stands before it', () => {
    const found = judge([
      settlement([
        { name: 'DATABASE_URL', value: 'postgres://$(DATABASE_LOGIN)@db' },
        { name: 'DATABASE_LOGIN', value: 'gsb' },
      ]),
    ]);
    expect(found).toContain('Job/migrate: DATABASE_URL names a variable that does not stand before it');
  });

  test('every template and every guard has a test, and the values files stay short', () => {
    expect(untold()).toEqual([]);
  });
});
