import { ADMINS, type App, type Link } from "../../db/records.ts";
import type { Answer } from "../../http/responses.ts";
import type { NewLinkForm, PageData } from "../../pages/page-data.ts";
import { createNameOrder, formatDate, shortenText } from "../../pages/words.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import type { UserContext } from "../context.ts";
import { showPage } from "../show-page.ts";
import { listAllGroups, toGroupChoices } from "./group-choices.ts";

const LINKS_PER_PAGE = 25;

type LinksData = Extract<PageData["links"], { readonly kind: "list" }>;

/** What an administrator has entered in a form for a new link. */
export interface EnteredLink
  extends Pick<NewLinkForm, "username" | "email" | "newGroups" | "until" | "problem"> {
  readonly groups: readonly string[];
  readonly apps: readonly string[];
}

const NOTHING: EnteredLink = { username: "", newGroups: "", until: "", groups: [], apps: [] };

/** Shows the open links, in pages, with the forms for new ones. */
export async function getLinks(context: UserContext): Promise<Answer> {
  return showPage(context, "links", await readLinksData(context));
}

/** Reads the data of the page, with what was entered in one of its forms. */
export async function readLinksData(
  { rules, views, request, paths }: UserContext,
  entered: Partial<Readonly<Record<LinkPurpose, EnteredLink>>> = {},
): Promise<LinksData> {
  const { store, clock, appDirectory } = rules;
  const locale = views.locale(request);
  const after = new URLSearchParams(request.query).get("after") ?? "";
  const read = (id: string) => store.links.read(id, LINKS_PER_PAGE + 1, new Date(clock.now()));
  const [asked, allGroups, apps] = await Promise.all([
    read(after),
    listAllGroups(rules),
    appDirectory.read(),
  ]);
  const isEmpty = asked.length === 0 && after !== "";
  const found = isEmpty ? await read("") : asked;
  const shown = found.slice(0, LINKS_PER_PAGE);
  const toForm = (purpose: LinkPurpose): NewLinkForm => {
    const { groups, apps: chosen, email = "", ...texts } = entered[purpose] ?? NOTHING;
    return {
      ...texts,
      email: purpose === "invite" && rules.mailing !== undefined ? email : undefined,
      groups: toGroupChoices(allGroups, groups),
      apps: apps.all
        .filter((app) => canLinkOpen(app, purpose))
        .map((app) => ({
          id: app.id,
          isChecked: chosen.includes(app.id),
          ...toShownApp(app, apps, paths.base),
        }))
        .sort(createNameOrder(locale)),
    };
  };
  const last = found.length > shown.length ? shown.at(-1)?.id : undefined;
  return {
    kind: "list",
    links: shown.map((link) => ({
      id: link.id,
      purpose: link.purpose,
      name: shortenText(link.name ?? ""),
      groups: link.groups ?? [],
      apps: (link.apps ?? []).map((id) => apps.find(id)?.name ?? id),
      madeBy: link.madeBy && shortenText(link.madeBy),
      end: formatDate(locale, link.expiresAt),
    })),
    first: after === "" || isEmpty ? undefined : "",
    next: last && `?${new URLSearchParams({ after: last })}`,
    forms: { invite: toForm("invite"), guest: toForm("guest") },
  };
}

type LinkPurpose = Extract<Link["purpose"], "invite" | "guest">;

/** Returns whether a link can be for the app. `makeLink` decides in the same way. */
function canLinkOpen({ groups = [], factors }: App, purpose: LinkPurpose): boolean {
  const isForAdmins = groups.length > 0 && groups.every((group) => group === ADMINS);
  if (purpose === "invite") return !isForAdmins;
  return groups.length > 0 && !isForAdmins && factors !== 2;
}
