/** One page of a list, as the Kubernetes API returns it: the token of the next page, and the version that a watch goes on from. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly metadata?: { readonly _continue?: string; readonly continue?: string };
}

/** How many objects a page holds: a few hundred Secrets are read in well below a second. */
export const pageSize = 500;

/** The whole list, read a page at a time; its metadata is that of the last page, whose version all pages share. */
export const listPages = async <T, P extends ListPage<T>>(
  page: (token: string | undefined) => Promise<P>,
): Promise<P> => {
  const items: T[] = [];
  for (let token: string | undefined; ;) {
    const found = await page(token);
    items.push(...found.items);
    token = found.metadata?._continue ?? found.metadata?.continue;
    if (token === undefined || token === '') return { ...found, items };
  }
};
