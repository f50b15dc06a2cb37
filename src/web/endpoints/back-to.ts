import { locationFor } from "../answers/location.ts";
import { noticeCookie } from "../answers/notice.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import type { Notice } from "../pages/page-data.ts";
import type { WebPorts } from "../ports.ts";
import type { AdmittedRequest } from "../request/web-request.ts";

/** What goes with a redirect. */
export interface Sent {
  readonly notice?: Notice;
  readonly cookies?: readonly string[];
}

/**
 * Redirects to a section of the home page, which the fragment unfolds, with a notice; to the
 * post-login location of this user if the app has its own page instead.
 */
export function backTo(
  section: "sessions" | "codes" | "passkeys" | "keys",
  { paths, options }: WebPorts,
  request: AdmittedRequest,
  { notice, cookies = [] }: Sent = {},
): Answer {
  const home = paths.homes.at(-1);
  if (home === undefined) {
    return redirect(locationFor(options.postLoginLocation, request.user), cookies);
  }
  const shown = notice === undefined ? [] : [noticeCookie(request, String(paths.home), notice)];
  return redirect(`${home}#your-${section}`, [...shown, ...cookies]);
}
