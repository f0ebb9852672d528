import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { called } from '../objects.ts';
import type { KubernetesObject } from '../objects.ts';
import { root } from '../renders.ts';

const operations = z.array(z.enum(['Read', 'Write', 'Describe', 'Delete'])).min(1);
const named = { name: z.string().min(1), patternType: z.enum(['literal', 'prefix']) };

/** What a KafkaUser of Strimzi's v1 API holds; no rule of ours is wider. */
const user = z.strictObject({
  authentication: z.strictObject({ type: z.enum(['scram-sha-512', 'tls']) }),
  authorization: z.strictObject({
    type: z.literal('simple'),
    acls: z
      .array(
        z.strictObject({
          resource: z.strictObject({ type: z.enum(['topic', 'group']), ...named }),
          operations,
        }),
      )
      .min(1),
  }),
});

const catalog = z.looseObject({ topics: z.record(z.string(), z.unknown()) });
const { topics } = catalog.parse(
  JSON.parse(readFileSync(join(root, 'charts/gsb/files/topics.json'), 'utf8')),
);

const userProblems = ({ spec }: KubernetesObject): string[] => {
  const { data, error } = user.safeParse(spec);
  if (data === undefined) return [z.prettifyError(error)];
  const asked = data.authorization.acls.filter(({ resource }) => resource.type === 'topic');
  return asked
    .map(({ resource: { name } }) => name)
    .filter((name) => !(name in topics))
    .map((name) => `there is no topic ${name}`);
};

/** A user may do what the catalog of topics says, by name. */
export const kafkaPolicy = (objects: readonly KubernetesObject[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'KafkaUser')
    .flatMap((each) => userProblems(each).map((problem) => `${called(each)}: ${problem}`));
