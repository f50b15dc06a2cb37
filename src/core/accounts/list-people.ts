import type { Person } from "../records.ts";
import type { PeoplePorts } from "./account-ports.ts";

const PEOPLE_PER_PAGE = 25;
const MAX_PAGE = 10_000;

/** A page of the people whose username contains a text, by username, and the next page if any. */
export async function listPeople(
  { store, clock }: Pick<PeoplePorts, "store" | "clock">,
  search: string,
  given: number,
): Promise<{ readonly people: readonly Person[]; readonly next: number | undefined }> {
  const page = Math.min(Math.max(Math.trunc(given) || 0, 0), MAX_PAGE);
  const [skip, limit] = [page * PEOPLE_PER_PAGE, PEOPLE_PER_PAGE + 1];
  const found = await store.people.list({ search, skip, limit, now: new Date(clock.now()) });
  const people = found.slice(0, PEOPLE_PER_PAGE);
  return { people, next: found.length > people.length ? page + 1 : undefined };
}
