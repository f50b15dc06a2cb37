import { Form } from "react-router";
import { useUser } from "../use-user";
import { userContext } from "../user";
import type { Route } from "./+types/notes";

/** Notes by user ID, in memory. */
const notes = new Map<string, string>();

export const loader = ({ context }: Route.LoaderArgs) =>
  notes.get(context.get(userContext).id) ?? "";

export async function action({ context, request }: Route.ActionArgs) {
  const form = await request.formData();
  notes.set(context.get(userContext).id, String(form.get("note")));
}

export default ({ loaderData }: Route.ComponentProps) => (
  <>
    <h1>Notes</h1>
    <p>Signed in as {useUser()?.username}</p>
    <Form method="post">
      <input name="note" aria-label="Note" defaultValue={loaderData} />
      <button type="submit">Save</button>
    </Form>
  </>
);
