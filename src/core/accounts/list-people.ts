import type { Person } from "../records.ts";
import type { PeoplePorts } from "./account-ports.ts";

const PEOPLE_PER_PAGE = 25;
/** Of usernames in the hundreds of thousands, a page further on takes too long to find. */
const MAX_PAGE = 10_000;

export interface PageOfPeople {
  readonly people: readonly Person[];
  /** From 0. */
  readonly page: number;
  readonly isLast: boolean;
}

/** The people whose username contains a text, by username. */
export async function listPeople(
  { store, clock }: Pick<PeoplePorts, "store" | "clock">,
  search: string,
  given: number,
): Promise<PageOfPeople> {
  const page = Number.isSafeInteger(given) ? Math.min(Math.max(given, 0), MAX_PAGE) : 0;
  const found = await store.people.list({
    search,
    skip: page * PEOPLE_PER_PAGE,
    limit: PEOPLE_PER_PAGE + 1,
    now: new Date(clock.now()),
  });
  const isLast = found.length <= PEOPLE_PER_PAGE;
  return { people: found.slice(0, PEOPLE_PER_PAGE), page, isLast };
}
