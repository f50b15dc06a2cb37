import { latchkey } from "../../../latchkey";

export async function GET(request: Request): Promise<Response> {
  const { requireAuth } = await latchkey();
  return requireAuth((_request, user) => Response.json(user))(request);
}
