import { andThen, type MaybePromise } from "../../core/base/maybe-promise.ts";
import { CHALLENGE } from "../answer-refused.ts";
import { type Answer, respondJson } from "../answers/responses.ts";
import { noteForged } from "../guards.ts";
import type { WebPorts } from "../ports.ts";
import type { WebRequest } from "../request/web-request.ts";

/** Tells scripts who is signed in. Without CORS headers, pages of other origins cannot read it. */
export function getMe(ports: WebPorts, request: WebRequest): MaybePromise<Answer> {
  return andThen(ports.rules.requireAuth(request.header("cookie")), (admission) => {
    if (admission.kind !== "admitted" && admission.kind !== "guest") {
      noteForged(ports, admission, request);
      return respondJson({ user: null }, 401, CHALLENGE);
    }
    const { groups = [], ...user } = admission.user;
    return respondJson({ user: { ...user, groups } }, 200);
  });
}
