"use server";

import { revalidatePath } from "next/cache";
import { requireUser } from "../latchkey";

/** Notes by user ID, in memory. */
const notes = new Map<string, string>();

export async function readNote(): Promise<string> {
  const { id } = await requireUser();
  return notes.get(id) ?? "";
}

export async function saveNote(form: FormData): Promise<void> {
  const { id } = await requireUser();
  notes.set(id, String(form.get("note")));
  revalidatePath("/notes");
}
