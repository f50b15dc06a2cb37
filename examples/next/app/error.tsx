"use client";

import { useEffect } from "react";

export default function Failed() {
  // Without a session, to load the page again leads to the sign-in, and back.
  useEffect(() => {
    fetch("/auth/account/me").then(({ status }) => status === 401 && window.location.reload());
  }, []);
  return <p>Something went wrong. Please try again.</p>;
}
