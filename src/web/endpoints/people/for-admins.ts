import { answerRefused } from "../../answer-refused.ts";
import { signInPath } from "../../guards.ts";
import { type Paths, pathOf } from "../../paths.ts";
import type { Endpoint, OwnEndpoint, PeopleRules, WebPorts } from "../../ports.ts";
import type { AdmittedRequest } from "../../request/web-request.ts";
import { pageOfForm } from "../account.ts";

/** The forms of the page, by the end of their paths. */
export const PEOPLE_ACTIONS = [
  "invite",
  "reset",
  "revoke",
  "groups",
  "rename",
  "sign-out",
  "remove",
] as const;
export type PeopleAction = (typeof PEOPLE_ACTIONS)[number];

/**
 * The endpoint for administrators. To other users, and to guests, the path is an unknown one. The
 * store decides, since another process may have taken away the group a moment ago.
 */
export const forAdmins =
  (ports: WebPorts, people: PeopleRules, endpoint: OwnEndpoint): Endpoint =>
  async (request) => {
    const admission = await ports.rules.requireAuth(request.header("cookie"));
    if (admission.kind !== "admitted" && admission.kind !== "guest") {
      return answerRefused(ports.options, signInPath(ports, admission, request), request);
    }
    const user = await people.administrator(admission.user.id);
    if (user === undefined) return ports.views.error(request, 404, "noSuchPage");
    return endpoint(Object.assign(request, { user }));
  };

/** The page that sent a form, with its search; without a search if that is not known. */
export function pageOfPeople(paths: Paths, request: AdmittedRequest): string {
  const page = pageOfForm(request, paths) ?? "";
  return pathOf(page) === paths.people ? page : paths.people;
}
