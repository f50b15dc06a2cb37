import type { App, ClientType, SigningAlgorithm } from "../../db/records.ts";
import { normalizeGroups } from "../../identity/groups.ts";
import { parseHostName } from "../../lib/host-name.ts";
import { isUsableName } from "../../lib/names.ts";
import { checkRedirect, checkWebUrl, type UrlProblem } from "./app-urls.ts";

/**
 * Contains what an administrator says about an app. In a change, an absent field keeps its value, and
 * an empty text or list removes it.
 */
export interface AppFields {
  readonly name?: string | undefined;
  /** The launcher shows the app under this heading. */
  readonly section?: string | undefined;
  /** People open the app at this URL. Forward auth finds the app by its host. */
  readonly url?: string | undefined;
  /** A reverse proxy forwards to this address, such as `http://127.0.0.1:3000`. */
  readonly upstream?: string | undefined;
  /** Only members of one of these groups may open the app. Default: all users except guests. */
  readonly groups?: readonly string[] | undefined;
  /** With 2, the app requires a second factor. Default: 1. */
  readonly factors?: 1 | 2 | undefined;
  /**
   * Says how the app authenticates with OpenID Connect. A `public` client cannot keep a secret. With
   * `none`, the app does not speak OpenID Connect. Default: `confidential` with redirects.
   */
  readonly clientType?: ClientType | "none" | undefined;
  /** Lists the URIs to which a sign-in with OpenID Connect can return. */
  readonly redirects?: readonly string[] | undefined;
  /** Lists the URIs to which a sign-out that the app began can return. */
  readonly signOutRedirects?: readonly string[] | undefined;
  /** The app learns at this URL that a session has ended. */
  readonly backchannelUrl?: string | undefined;
  /** With `ask`, each person must agree before the app learns who they are. Default: `none`. */
  readonly consent?: "ask" | "none" | undefined;
  /** ID tokens for the app are signed with this algorithm. Default: `RS256`. */
  readonly signing?: SigningAlgorithm | undefined;
  /** An app that is `off` keeps its settings, and nobody may open it. Default: `on`. */
  readonly state?: "on" | "off" | undefined;
}

/** Says which field of an app is not acceptable, and its value. `explain-problem.ts` has the texts. */
export type FieldProblem =
  | { readonly kind: "name-missing" | "redirect-missing" }
  | {
      readonly kind:
        | "name-invalid"
        | "section-invalid"
        | "groups-invalid"
        | "factors-invalid"
        | "client-type-invalid"
        | "signing-invalid"
        | "consent-invalid"
        | "state-invalid"
        /** The value is the number of redirects. */
        | "too-many-redirects"
        /** The value names a field that only an app with OpenID Connect can have. */
        | "oidc-missing";
      readonly value: string;
    }
  | {
      readonly kind:
        | "url-invalid"
        | "upstream-invalid"
        | "redirect-invalid"
        | "sign-out-redirect-invalid"
        | "backchannel-url-invalid";
      readonly value: string;
      readonly problem: UrlProblem;
    };

const MAX_REDIRECTS = 50;
/** The column of a list can hold this many bytes. */
const MAX_LIST_BYTES = 65_536;

/** Applies the fields to an app. The ID and the time of the app stay. */
export function applyFields(app: App, fields: AppFields): App | FieldProblem {
  const name = fields.name === undefined ? app.name : fields.name.trim();
  if (name === "") return { kind: "name-missing" };
  if (!isUsableName(name)) return { kind: "name-invalid", value: name };
  const section = fields.section === undefined ? app.section : fields.section.trim() || undefined;
  if (section !== undefined && !isUsableName(section))
    return { kind: "section-invalid", value: section };
  const groups = fields.groups === undefined ? (app.groups ?? []) : normalizeGroups(fields.groups);
  // A list without a name would open the app to all users, for example if a variable is empty.
  const isNameless = fields.groups !== undefined && fields.groups.length > 0 && groups.length === 0;
  if (groups === "invalid" || isNameless)
    return { kind: "groups-invalid", value: String(fields.groups) };
  const factors = fields.factors ?? app.factors ?? 1;
  if (factors !== 1 && factors !== 2) return { kind: "factors-invalid", value: String(factors) };
  const signing = fields.signing ?? app.signing ?? "RS256";
  if (signing !== "RS256" && signing !== "ES256")
    return { kind: "signing-invalid", value: String(signing) };
  const consent = fields.consent ?? (app.consent === undefined ? "none" : "ask");
  if (consent !== "ask" && consent !== "none")
    return { kind: "consent-invalid", value: String(consent) };
  const state = fields.state ?? (app.off === undefined ? "on" : "off");
  if (state !== "on" && state !== "off") return { kind: "state-invalid", value: String(state) };

  const url = fields.url ?? app.url ?? "";
  const upstream = fields.upstream ?? app.upstream ?? "";
  const backchannelUrl = fields.backchannelUrl ?? app.backchannelUrl ?? "";
  const redirects = fields.redirects ?? splitList(app.redirects);
  const signOutRedirects = fields.signOutRedirects ?? splitList(app.signOutRedirects);
  for (const list of [redirects, signOutRedirects]) {
    if (list.length > MAX_REDIRECTS || Buffer.byteLength(joinList(list)) > MAX_LIST_BYTES)
      return { kind: "too-many-redirects", value: String(list.length) };
  }
  const checks = [
    ["url-invalid", checkAppUrl, url && [url]],
    ["upstream-invalid", checkUpstream, upstream && [upstream]],
    ["backchannel-url-invalid", checkWebUrl, backchannelUrl && [backchannelUrl]],
    ["redirect-invalid", checkRedirect, redirects],
    ["sign-out-redirect-invalid", checkRedirect, signOutRedirects],
  ] as const;
  for (const [kind, check, values] of checks) {
    for (const value of values) {
      const problem = check(value);
      if (problem !== undefined) return { kind, value, problem };
    }
  }

  const wanted = fields.clientType ?? app.clientType;
  if (wanted !== undefined && !["confidential", "public", "none"].includes(wanted)) {
    return { kind: "client-type-invalid", value: String(wanted) };
  }
  const speaksOidc = wanted !== "none" && (wanted !== undefined || redirects.length > 0);
  const clientType = speaksOidc
    ? ((wanted as ClientType | undefined) ?? "confidential")
    : undefined;
  if (clientType === "confidential" && redirects.length === 0) return { kind: "redirect-missing" };
  const needsOidc = clientType === undefined && wanted !== "none" && findOidcField(fields);
  if (needsOidc) return { kind: "oidc-missing", value: needsOidc };

  return {
    id: app.id,
    name,
    ...(section !== undefined && { section }),
    ...(url !== "" && { url }),
    ...(upstream !== "" && { upstream }),
    ...(groups.length > 0 && { groups }),
    ...(factors === 2 && { factors }),
    ...(clientType !== undefined && { clientType }),
    ...(clientType !== undefined && redirects.length > 0 && { redirects: joinList(redirects) }),
    ...(clientType !== undefined &&
      signOutRedirects.length > 0 && { signOutRedirects: joinList(signOutRedirects) }),
    ...(clientType !== undefined && backchannelUrl !== "" && { backchannelUrl }),
    ...(clientType !== undefined && consent === "ask" && { consent: 1 }),
    ...(clientType !== undefined && signing === "ES256" && { signing }),
    ...(state === "off" && { off: 1 }),
    createdAt: app.createdAt,
  };
}

/** Returns the name of a given field that has no effect without OpenID Connect. */
function findOidcField(fields: AppFields): string | undefined {
  if (fields.signOutRedirects?.length) return "a sign-out redirect URI";
  if (fields.backchannelUrl) return "a back-channel URL";
  if (fields.consent === "ask") return "consent";
  return fields.signing === "ES256" ? "a signing algorithm" : undefined;
}

/** An app whose last redirect is removed has no use for its secret. */
export const settleClientType = (
  fields: AppFields,
  { clientType }: Pick<AppDetails, "clientType">,
): AppFields =>
  fields.redirects?.length === 0 && fields.clientType === undefined && clientType === "confidential"
    ? { ...fields, clientType: "none" }
    : fields;

/** Describes an app as the account API and the commands show it. */
export interface AppDetails {
  /** The ID is also the client ID for OpenID Connect. */
  readonly id: string;
  readonly name: string;
  readonly section?: string;
  readonly url?: string;
  readonly upstream?: string;
  /** If the list is empty, all users except guests may open the app. */
  readonly groups: readonly string[];
  readonly factors: 1 | 2;
  /** With `none`, the app does not speak OpenID Connect. */
  readonly clientType: ClientType | "none";
  readonly redirects: readonly string[];
  readonly signOutRedirects: readonly string[];
  readonly backchannelUrl?: string;
  readonly consent: "ask" | "none";
  readonly signing: SigningAlgorithm;
  /** Nobody may open an app that is `off`. */
  readonly state: "on" | "off";
  readonly createdAt: Date;
}

/** Returns an app with its lists as lists, and with its defaults. */
export const toAppDetails = ({
  groups = [],
  factors,
  clientType,
  redirects,
  signOutRedirects,
  consent,
  signing = "RS256",
  off,
  ...app
}: App): AppDetails => ({
  ...app,
  groups,
  factors: factors === 2 ? 2 : 1,
  clientType: clientType ?? "none",
  redirects: splitList(redirects),
  signOutRedirects: splitList(signOutRedirects),
  consent: consent === undefined ? "none" : "ask",
  signing,
  state: off === undefined ? "on" : "off",
});

/** Returns the URIs of a list in an app. A URI contains no space. */
export const splitList = (list: string | undefined): readonly string[] =>
  list === undefined || list === "" ? [] : list.split(" ");

const joinList = (uris: readonly string[]): string => [...new Set(uris)].join(" ");

/** Checks the URL of an app. Its host must be one that forward auth can find. */
function checkAppUrl(text: string): UrlProblem | undefined {
  const problem = checkWebUrl(text);
  if (problem !== undefined) return problem;
  return parseHostName(new URL(text).host) === undefined ? "not-a-url" : undefined;
}

/** Checks the address to which a reverse proxy forwards: a scheme, a host and a port, no path. */
function checkUpstream(text: string): UrlProblem | undefined {
  const problem = checkWebUrl(text);
  if (problem !== undefined) return problem;
  const { pathname, search } = new URL(text);
  return pathname === "/" && search === "" && !text.endsWith("/") ? undefined : "has-a-path";
}
