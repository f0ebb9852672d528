import type { Operator } from '#libs/catalog/catalog.ts';

const holds = (names: readonly string[] | undefined, name: string | undefined): boolean =>
  names === undefined || (name !== undefined && names.includes(name));

/** Whether an operator may read what belongs to this cafe and game; undefined stands for every one of them (D-40). */
export const reaches = (
  { cafes, games }: Operator,
  { cafeId, gameId }: { readonly cafeId?: string | undefined; readonly gameId?: string | undefined },
): boolean => holds(cafes, cafeId) && holds(games, gameId);
