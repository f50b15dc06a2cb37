import type { App, User } from "../../db/records.ts";
import type { Form } from "../../http/form.ts";
import { linkPageCookie } from "../../http/link-page-cookie.ts";
import { resolveLocation } from "../../http/location.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import { FORGOT, HANDOFF } from "../../http/paths.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import {
  acceptReturnTarget,
  addReturnTo,
  parseHandoffTarget,
  RETURN_TO,
} from "../../http/return-to.ts";
import { logRefusal } from "../../http/warnings.ts";
import { getParameter } from "../../http/web-request.ts";
import type { LinkField, PageData } from "../../pages/page-data.ts";
import { type MessageName, shortenText } from "../../pages/words.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import type { Context } from "../context.ts";
import { redirectSignedIn } from "../redirects.ts";
import { getLimitedClient } from "../sign-in/sign-in-pages.ts";
import { findLink, type LinkProblem, type OpenLink, useLink } from "./use-link.ts";

const getLinkToken = ({ paths, request }: Context): string => request.path.slice(paths.link.length);

/** Shows the purpose of the link without using it up, because mail scanners also open links. */
export async function getLink(context: Context): Promise<Answer> {
  const open = await findLink(context.rules, getLinkToken(context));
  if (open === undefined) return respondGone(context);
  const cookies = [linkPageCookie(context.paths)];
  return context.views.page(context, "link", await readLinkData(context, open, ""), { cookies });
}

async function readLinkData(
  { rules, paths }: Context,
  { link, username, apps }: OpenLink,
  entered: string,
): Promise<PageData["link"]> {
  const isReset = link.userId !== undefined;
  const known = apps.length === 0 ? undefined : await rules.appDirectory.read();
  return {
    purpose: link.purpose === "reset-codes-off" ? "reset" : link.purpose,
    username: username ?? entered,
    isUsernameSet: username !== undefined,
    madeBy: isReset || link.madeBy === undefined ? undefined : shortenText(link.madeBy),
    email: link.purpose === "confirm-email" ? link.email : undefined,
    apps: known === undefined ? [] : apps.map((app) => toShownApp(app, known, paths.base)),
  };
}

/** Responds in the same way to all links that cannot be used, and to too many attempts. */
function respondGone(context: Context): Promise<Answer> {
  logRefusal(context, context.request, "one-time link refused");
  return context.views.error(context, 404, "linkGone");
}

const problems: Readonly<Record<LinkProblem, readonly [MessageName, LinkField]>> = {
  "username-missing": ["usernameOrPasswordMissing", "username"],
  "password-missing": ["usernameOrPasswordMissing", "password"],
  "passwords-differ": ["passwordsDiffer", "password"],
  "password-too-short": ["newPasswordTooShort", "password"],
  "username-invalid": ["usernameInvalid", "username"],
  "username-taken": ["usernameTaken", "username"],
};

export async function postLink(context: Context, form: Form): Promise<Answer> {
  const { rules, views, paths, request } = context;
  const [username, password, confirm] = [form("username"), form("password"), form("confirm")];
  const entered = { username, password, confirm };
  const outcome = await useLink(
    rules,
    getLinkToken(context),
    entered,
    await getLimitedClient(context),
    views.locale(request),
  );
  switch (outcome.kind) {
    case "gone":
      return respondGone(context);
    case "rejected": {
      const [name, field] = problems[outcome.problem];
      const problem = { message: views.message(request, name), fields: [field] as const };
      const data = { ...(await readLinkData(context, outcome.open, username)), problem };
      return views.page(context, "link", data, { status: 422 });
    }
    case "password-reset":
      return redirect(paths.login, [createNoticeCookie(request, "passwordIsChanged")]);
    case "email-taken":
      return views.error(context, 422, "emailTaken");
    case "email-confirmed": {
      const page = paths.account?.profile ?? paths.login;
      return redirect(page, [createNoticeCookie(request, "emailIsConfirmed")]);
    }
    case "sessions-ended":
      return redirect(rules.mailing === undefined ? paths.login : paths.login + FORGOT, [
        createNoticeCookie(request, "allSessionsAreEnded"),
      ]);
    case "entered": {
      const target = acceptReturnTarget(context.options, request, getParameter(request, RETURN_TO));
      return redirectSignedIn(
        context,
        outcome,
        target ?? findAppTarget(context, outcome.app) ?? findGuestTarget(context, outcome.user),
      );
    }
  }
}

/**
 * Returns the page of the apps for a guest if the post-login location is at another host: it may be
 * an app that the guest may not open, and the link is used up.
 */
function findGuestTarget({ options, paths }: Context, user: User): string | undefined {
  if (user.guest !== true) return undefined;
  const isElsewhere = URL.canParse(resolveLocation(options.postLoginLocation, user));
  return isElsewhere ? paths.launcher : undefined;
}

/**
 * Returns where the browser finds the app: its URL, or the handoff of a host that gets its session
 * there. Returns `undefined` for a host that the session does not reach.
 */
function findAppTarget({ options, request }: Context, app: App | undefined): string | undefined {
  const url = URL.parse(app?.url ?? "")?.href;
  const accepted = acceptReturnTarget(options, request, url);
  if (accepted !== undefined) return accepted;
  const other = parseHandoffTarget(options, url);
  return other && addReturnTo(`${other.origin}${HANDOFF}`, other.href);
}
