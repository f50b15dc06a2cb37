import { defineMiddleware } from "astro:middleware";
import { latchkey } from "./latchkey";

export const onRequest = defineMiddleware(async (context, next) => {
  const from = { remoteAddress: context.clientAddress };
  const members = latchkey.requireAuth((_request, user) => {
    context.locals.user = user;
    return next();
  });
  return (await latchkey.routes(context.request, from)) ?? members(context.request);
});
