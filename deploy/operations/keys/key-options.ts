import { z } from 'zod';
import { launcherKeyObject } from '#libs/catalog/catalog-objects.ts';
import { maxCafeKeyIdLength } from '#libs/catalog/pc-keys.ts';
import { cafeId, gameId, hasAtMost } from '#libs/contracts/fields.ts';
import { operatorName, operatorRole } from '#libs/contracts/operators.ts';
import { commaList } from '#libs/runtime/settings.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
/** The options of `npm run key`. */
export const known = {
  ...{ game: text, 'display-name': text, env: text, 'not-after': text },
  ...{ launcher: flag, cafe: text, name: text, pcs: text, help: flag },
  ...{ shared: text, machines: text },
  ...{ operator: text, roles: text, cafes: text, games: text },
  ...{ apply: flag, namespace: text },
};

const future = z.iso
  .datetime({ error: 'must be an instant in UTC, such as 2027-01-01T00:00:00Z', abort: true })
  .refine((instant) => Date.parse(instant) > Date.now(), 'is in the past');
/** Where to store is asked only when it shall be stored. */
const goesWithApply = {
  path: ['namespace'],
  error: 'goes with --apply',
};
const isWhole = ({ apply, namespace }: { apply?: true | undefined; namespace?: string | undefined }) =>
  apply === true || namespace === undefined;
const storing = { apply: z.literal(true).optional(), namespace: z.string().min(1).optional() };
const env = z.enum(['dev', 'qa', 'live'], 'must be dev, qa or live').default('dev');

/** What goes with --game. */
export const apiKeyOptions = z
  .strictObject({
    ...storing,
    game: gameId,
    'display-name': z
      .string()
      .min(1, 'must not be empty')
      .max(64, 'must be at most 64 characters')
      .optional(),
    env,
    'not-after': future.optional(),
  })
  .refine(isWhole, goesWithApply);
/** What goes with --launcher. */
export const launcherKeyOptions = z
  .strictObject({
    ...storing,
    launcher: z.literal(true).optional(),
    cafe: z.string('is missing').pipe(cafeId),
    name: z
      .string()
      .regex(/^[a-z0-9-]{1,32}$/, 'must be lower-case letters, digits and dashes')
      .default('k1'),
    pcs: launcherKeyObject.shape.stringData.shape.pcs,
    shared: launcherKeyObject.shape.stringData.shape.shared,
  })
  .refine(isWhole, goesWithApply)
  .refine(({ cafe, name }) => cafe.length + name.length < maxCafeKeyIdLength, {
    path: ['cafe', 'name'],
    error: `must be at most ${maxCafeKeyIdLength - 1} characters together, so that keys of single PCs can sign`,
  });

/** What goes with `derive`. */
export const deriveOptions = z.strictObject({
  machines: z
    .string('is missing')
    .pipe(commaList)
    .pipe(z.array(z.string().refine(...hasAtMost(128)))),
});

const listOf = <S extends z.ZodType<string, string>>(item: S) => commaList.pipe(z.array(item));

/** What goes with --operator. */
export const operatorKeyOptions = z
  .strictObject({
    ...storing,
    operator: operatorName,
    roles: z.string('is missing').pipe(listOf(operatorRole)),
    cafes: listOf(cafeId).optional(),
    games: listOf(gameId).optional(),
    env,
    'not-after': future.optional(),
  })
  .refine(isWhole, goesWithApply);
