import type { PeoplePorts } from "../../../core/accounts/account-ports.ts";
import { removeUser } from "../../../core/accounts/remove-user.ts";
import { renameUser } from "../../../core/accounts/rename-user.ts";
import { groupsIn, setGroups } from "../../../core/accounts/set-groups.ts";
import {
  LINK_LIFETIME_MS,
  type LinkPorts,
  makeLink,
  type WantedLink,
} from "../../../core/links/make-link.ts";
import { revokeLink } from "../../../core/links/revoke-link.ts";
import type { UserId } from "../../../core/records.ts";
import { endSessionsOf } from "../../../core/sessions/end-sessions.ts";
import type { LinkStore } from "../../../core/store.ts";
import { locationFor } from "../../answers/location.ts";
import { type Answer, redirect, withHeader } from "../../answers/responses.ts";
import { isOverTls } from "../../answers/session-cookie.ts";
import { shownTime } from "../../pages/utc-time.ts";
import type { MessageName } from "../../pages/words/en.ts";
import type { OwnFormEndpoint, PeopleRules, WebPorts } from "../../ports.ts";
import type { Form } from "../../request/form.ts";
import { clientOf } from "../../request/remote-address.ts";
import { type AdmittedRequest, hostOf } from "../../request/web-request.ts";
import { type PeopleAction, pageOfPeople } from "./for-admins.ts";
import { peopleData, purposeShown } from "./list.ts";

/** What an action gets. */
interface Asked {
  readonly ports: WebPorts;
  readonly request: AdmittedRequest;
  readonly form: Form;
  readonly rules: PeoplePorts;
  /** The account of the form. */
  readonly id: UserId;
  /** Back to the page; away from it for an administrator who is none any more. */
  readonly done: () => Promise<Answer>;
  /** The page again, with a message at this field. */
  readonly again: (message: MessageName, field: string) => Promise<Answer>;
}

const actions: Readonly<Record<PeopleAction, (asked: Asked) => Promise<Answer>>> = {
  async invite(asked) {
    const groups = groupsOf(asked.form);
    if (groups === "invalid") return asked.again("groupsInvalid", "invite-groups");
    const name = asked.form("username");
    return answerLink(asked, {
      purpose: "invite",
      ...(name !== "" && { name }),
      ...(groups.length > 0 && { groups }),
    });
  },

  async reset(asked) {
    const purpose = asked.form("codes_off") === "" ? "reset" : "reset-codes-off";
    return answerLink(asked, { purpose, userId: asked.id });
  },

  async revoke({ rules, form, done }) {
    if (rules.store.links !== undefined)
      await revokeLink(linkPorts(rules, rules.store.links), form("link"));
    return done();
  },

  async groups({ rules, form, id, done, again }) {
    const groups = groupsOf(form);
    switch (groups === "invalid" ? groups : await setGroups(rules, id, groups)) {
      case "invalid":
        return again("groupsInvalid", `groups-${id}`);
      case "last-admin":
        return again("lastAdmin", `groups-${id}`);
      case "no-user":
      case "set":
        return done();
    }
  },

  async rename({ rules, form, id, done, again }) {
    switch (await renameUser(rules, id, form("username"))) {
      case "username-missing":
        return again("fieldMissing", `username-${id}`);
      case "username-taken":
        return again("usernameTaken", `username-${id}`);
      case "no-user":
      case "renamed":
        return done();
    }
  },

  async "sign-out"({ rules, id, done }) {
    await endSessionsOf(rules, id);
    return done();
  },

  async remove({ rules, id, done, again }) {
    switch (await removeUser(rules, id)) {
      case "last-user":
      case "last-admin":
        return again("lastAdmin", `groups-${id}`);
      case "no-user":
      case "removed":
        return done();
    }
  },
};

const groupsOf = (form: Form) => groupsIn(form("groups").replaceAll(/\s/g, ""));

export const postPeople =
  (people: PeopleRules, action: PeopleAction): OwnFormEndpoint =>
  async (ports, request, form) => {
    const { user } = request;
    const id = form("user") as UserId;
    const page = pageOfPeople(ports, request);
    return actions[action]({
      ...{ ports, request, form, id },
      rules: people.portsOf(user, clientOf(request, ports.proxies)),
      async done() {
        const stays = (await people.administrator(user.id)) !== undefined;
        // Browsers unfold the person that the fragment names.
        if (stays) return redirect(`${page}#${encodeURIComponent(`p-${id}`)}`);
        const { options, paths } = ports;
        return redirect(paths.homes.at(-1) ?? locationFor(options.postLoginLocation, user));
      },
      async again(message, field) {
        const { search } = new URL(page, "http://localhost");
        const data = await peopleData(ports, people, request, search);
        const problem = {
          message: ports.views.message(request, message),
          fields: [field] as const,
        };
        return ports.views.page(request, "people", { ...data, problem }, { status: 422 });
      },
    });
  };

const linkPorts = (rules: PeoplePorts, links: LinkStore): LinkPorts => ({
  ...rules,
  store: { ...rules.store, links },
});

/** Shows a new link, here alone. The page has no forms, which would be sent without an origin. */
async function answerLink(
  { ports, request, rules, done, again }: Asked,
  wanted: Omit<WantedLink, "expiresAt" | "usesLeft">,
): Promise<Answer> {
  const { links } = rules.store;
  if (links === undefined) return done();
  const expiresAt = new Date(rules.clock.now() + LINK_LIFETIME_MS);
  const link = { ...wanted, expiresAt, usesLeft: 1, madeBy: request.user.username };
  const outcome = await makeLink(linkPorts(rules, links), link);
  switch (outcome.kind) {
    case "no-account":
    case "no-user":
      return done();
    case "username-taken":
      return again("usernameTaken", "invite-username");
    case "made": {
      const { paths, options, views } = ports;
      const origin =
        options.hosts.publicUrl ?? `http${isOverTls(request) ? "s" : ""}://${hostOf(request)}`;
      const made = {
        purpose: purposeShown(wanted.purpose),
        url: `${origin}${paths.link}${outcome.token}`,
        end: shownTime(views.locale(request), expiresAt).utc,
      };
      const answer = await views.page(request, "people", { people: [], search: "", made });
      return withHeader(answer, "Referrer-Policy", "no-referrer");
    }
  }
}
