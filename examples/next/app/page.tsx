import { requireUser } from "../latchkey";
import { readNote, saveNote } from "./actions";

export default async function Home() {
  const { username } = await requireUser();
  return (
    <>
      <h1>Hello, {username}</h1>
      <form action={saveNote}>
        <input name="note" aria-label="Note" defaultValue={await readNote()} />
        <button type="submit">Save</button>
      </form>
      <form method="post" action="/auth/logout">
        <button type="submit">Sign out</button>
      </form>
    </>
  );
}
