const PAGE_SIZE = 1_000;

/** All items in pages, in the order of their IDs. `first` comes before every ID. */
export async function* pagesOf<Id, Item extends { readonly id: Id }>(
  first: Id,
  read: (query: { readonly afterId: Id; readonly limit: number }) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void, undefined> {
  for (let afterId = first; ; ) {
    const items = await read({ afterId, limit: PAGE_SIZE });
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    afterId = last.id;
  }
}
