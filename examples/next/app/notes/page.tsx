import { Suspense } from "react";
import { readNote, saveNote } from "../actions";
import { Who } from "../who";

export default function Notes() {
  return (
    <>
      <h1>Notes</h1>
      <Who />
      <Suspense>
        <Note />
      </Suspense>
    </>
  );
}

async function Note() {
  const note = await readNote();
  return (
    <form action={saveNote}>
      <input name="note" aria-label="Note" defaultValue={note} />
      <button type="submit">Save</button>
    </form>
  );
}
