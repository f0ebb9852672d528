import { listPages, pageSize } from '#libs/catalog/list-pages.ts';
import type { ListPage } from '#libs/catalog/list-pages.ts';

const cafes = Array.from({ length: 5_000 }, (_, at) => `cafe-${at}`);

/** An API that gives five hundred at a time; a custom object's list names its token otherwise than a Secret's. */
const pages = (name: '_continue' | 'continue') => {
  const asked: (string | undefined)[] = [];
  const page = async (token: string | undefined): Promise<ListPage<string> & { version: number }> => {
    asked.push(token);
    const from = Number(token ?? 0);
    const next = from + pageSize;
    const metadata = next < cafes.length ? { [name]: String(next) } : {};
    return { items: cafes.slice(from, next), metadata, version: 7 };
  };
  return { asked, page };
};

test.each(['_continue', 'continue'] as const)(
  'five thousand launcher keys are listed a page at a time (%s)',
  async (name) => {
    const { asked, page } = pages(name);

    const { items, version } = await listPages<string, Awaited<ReturnType<typeof page>>>(page);

    expect(items).toEqual(cafes);
    expect(version).toBe(7);
    expect(asked).toHaveLength(10);
  },
);

test('an empty list is one page', async () => {
  const page = async (): Promise<ListPage<string>> => ({ items: [], metadata: { _continue: '' } });

  await expect(listPages(page)).resolves.toMatchObject({ items: [] });
});
