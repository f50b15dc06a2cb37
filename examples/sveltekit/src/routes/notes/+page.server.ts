import type { Actions, PageServerLoad } from "./$types";

/** Notes by user ID, in memory. */
const notes = new Map<string, string>();

export const load: PageServerLoad = ({ locals }) => ({ note: notes.get(locals.user.id) ?? "" });

export const actions: Actions = {
  default: async ({ locals, request }) => {
    notes.set(locals.user.id, String((await request.formData()).get("note")));
  },
};
