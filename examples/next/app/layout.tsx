import type { ReactNode } from "react";

export const metadata = { title: "Example" };

export default ({ children }: { children: ReactNode }) => (
  <html lang="en">
    <body>{children}</body>
  </html>
);
