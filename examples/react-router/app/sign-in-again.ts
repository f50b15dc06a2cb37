import { useEffect } from "react";

/** Without a session, to load the page again leads to the sign-in, and back. */
export function useSignInAgain(): void {
  useEffect(() => {
    fetch("/auth/account/me").then(({ status }) => status === 401 && window.location.reload());
  }, []);
}
