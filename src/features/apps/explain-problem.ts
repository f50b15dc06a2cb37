import type { FieldProblem } from "./app-fields.ts";
import type { IconProblem } from "./app-icons.ts";
import type { UrlProblem } from "./app-urls.ts";

/** A longer value is shortened in a message. */
const MAX_SHOWN = 100;

const quoteValue = (value: string): string =>
  `"${value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN).toWellFormed()}…` : value}"`;

type UrlField = Extract<FieldProblem, { readonly problem: UrlProblem }>["kind"];

const FIELD_PROBLEMS: Readonly<Record<FieldProblem["kind"], true>> = {
  "name-missing": true,
  "name-invalid": true,
  "section-invalid": true,
  "groups-invalid": true,
  "factors-invalid": true,
  "client-type-invalid": true,
  "signing-invalid": true,
  "consent-invalid": true,
  "state-invalid": true,
  "redirect-missing": true,
  "too-many-redirects": true,
  "oidc-missing": true,
  "url-invalid": true,
  "upstream-invalid": true,
  "redirect-invalid": true,
  "sign-out-redirect-invalid": true,
  "backchannel-url-invalid": true,
};

/** Names each field and gives an example of what it accepts. */
const urlFields: Readonly<Record<UrlField, readonly [name: string, example: string]>> = {
  "url-invalid": ["the URL", "https://photos.example.org"],
  "upstream-invalid": ["the upstream", "http://127.0.0.1:3000"],
  "redirect-invalid": ["the redirect URI", "https://photos.example.org/auth/callback"],
  "sign-out-redirect-invalid": ["the sign-out redirect URI", "https://photos.example.org/"],
  "backchannel-url-invalid": ["the back-channel URL", "https://photos.example.org/logout"],
};

/** Explains in one line why a URL is not acceptable, and what to write instead. */
export function explainUrlProblem(kind: UrlField, value: string, problem: UrlProblem): string {
  const [name, example] = urlFields[kind];
  const subject = `${name} ${quoteValue(value)}`;
  switch (problem) {
    case "not-a-url":
      return `${subject} is not a URL of visible ASCII characters: write one such as ${example}`;
    case "too-long":
      return `${subject} is longer than 2,048 bytes: write a shorter one such as ${example}`;
    case "has-credentials":
      return `${subject} contains a username or a password: leave them out, such as ${example}`;
    case "has-a-fragment":
      return `${subject} contains a #: leave it out with all that follows, such as ${example}`;
    case "has-a-path":
      return `${subject} continues after the host and port: write only scheme, host and port, such as ${example}`;
    case "not-encrypted":
      return `${subject} begins with http, so that the network could read the sign-in: write https (http is accepted for localhost only)`;
    case "scheme-forbidden":
      return kind === "redirect-invalid" || kind === "sign-out-redirect-invalid"
        ? `${subject} has a scheme that browsers open themselves: write https, such as ${example}`
        : `${subject} begins with neither https:// nor http://: write one such as ${example}`;
    case "scheme-without-dot":
      return `${subject} has a scheme that any other app can register: write https, or a scheme with a dot such as org.example.photos:/callback`;
  }
}

/** Tells the problems of fields from the other outcomes of adding and changing an app. */
export const isFieldProblem = <T extends { readonly kind: string }>(
  outcome: T,
): outcome is Extract<T, FieldProblem> => Object.hasOwn(FIELD_PROBLEMS, outcome.kind);

/** Explains in one line which field of an app is not acceptable, and what to write instead. */
export function explainFieldProblem(problem: FieldProblem): string {
  switch (problem.kind) {
    case "name-missing":
      return "an app needs a name";
    case "name-invalid":
      return `the name ${quoteValue(problem.value)} has control characters or more than 255 bytes: write a shorter one without them`;
    case "section-invalid":
      return `the section ${quoteValue(problem.value)} has control characters or more than 255 bytes: write a shorter one without them`;
    case "groups-invalid":
      return `the groups ${quoteValue(problem.value)} are not accepted: write up to 32 names of up to 32 lower-case letters, digits and hyphens, such as family,photos`;
    case "factors-invalid":
      return `the factor ${quoteValue(problem.value)} is not accepted: write 1 or 2`;
    case "client-type-invalid":
      return `the client type ${quoteValue(problem.value)} is not accepted: write confidential, public or none`;
    case "signing-invalid":
      return `the signing algorithm ${quoteValue(problem.value)} is not accepted: write RS256 or ES256`;
    case "consent-invalid":
      return `the consent ${quoteValue(problem.value)} is not accepted: write ask or none`;
    case "state-invalid":
      return `the state ${quoteValue(problem.value)} is not accepted: write on or off`;
    case "redirect-missing":
      return "an app with a client secret needs a redirect URI, to which a sign-in returns: add one such as https://photos.example.org/auth/callback";
    case "too-many-redirects":
      return `an app has at most 50 redirect URIs of each kind with 65,536 bytes in all, but got ${problem.value}: remove some`;
    case "oidc-missing":
      return `only an app that signs in with OpenID Connect can have ${problem.value}: add a redirect URI, or make the app a public client`;
    default:
      return explainUrlProblem(problem.kind, problem.value, problem.problem);
  }
}

/** Explains in one line why an image cannot be the icon of an app. */
export function explainIconProblem(name: string, problem: IconProblem): string {
  switch (problem) {
    case "empty":
      return `the icon ${quoteValue(name)} is empty: choose an SVG, PNG, WebP or AVIF image`;
    case "too-large":
      return `the icon ${quoteValue(name)} is larger than 512 KiB: choose a smaller image`;
    case "type-unknown":
      return `the icon ${quoteValue(name)} is not an SVG, PNG, WebP or AVIF image: convert it to one of them`;
  }
}
