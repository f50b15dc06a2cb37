import type { Handle } from "@sveltejs/kit";
import { latchkey } from "./lib/server/latchkey";

export const handle: Handle = async ({ event, resolve }) => {
  const from = { remoteAddress: event.getClientAddress() };
  const members = latchkey.requireAuth((_request, user) => {
    event.locals.user = user;
    return resolve(event);
  });
  return (await latchkey.routes(event.request, from)) ?? members(event.request);
};
