import { fetchAuth } from "latchkey/fetch";
import { openAuth } from "../../../latchkey";

export async function GET(request: Request): Promise<Response> {
  const { requireAuth } = fetchAuth(await openAuth());
  return requireAuth((_request, user) => Response.json(user))(request);
}
