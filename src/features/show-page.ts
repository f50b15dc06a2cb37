import { takeNotice } from "../http/notice.ts";
import type { Answer } from "../http/responses.ts";
import type { PageData, PageName } from "../pages/page-data.ts";
import type { UserContext } from "./context.ts";

/** Renders a page for the signed-in user, with the notice of the form that redirected to it. */
export function showPage<Name extends PageName>(
  context: UserContext,
  name: Name,
  data: PageData[Name],
): Promise<Answer> {
  const { notice, cookies } = takeNotice(context.request);
  return context.views.page(context, name, { ...data, notice }, { cookies });
}
