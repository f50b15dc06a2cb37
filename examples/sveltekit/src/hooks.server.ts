import { redirect } from "@sveltejs/kit";
import { sequence } from "@sveltejs/kit/hooks";
import { latchkey } from "./lib/server/latchkey";

export const handle = sequence(async ({ event, resolve }) => {
  const { request, url } = event;
  const answer = await latchkey.routes(request, { remoteAddress: event.getClientAddress() });
  if (answer) return answer;
  // A link or a form in a page whose session has ended: SvelteKit's client follows only this.
  const inPage = event.isDataRequest || request.headers.has("x-sveltekit-action");
  if (inPage && !(await latchkey.currentUser(request))) {
    redirect(303, `/auth/login?return_to=${encodeURIComponent(url.pathname + url.search)}`);
  }
  const members = latchkey.requireAuth((_request, user) => {
    event.locals.user = user;
    return resolve(event);
  });
  return members(request);
});
