import chromium from "@sparticuz/chromium";

// A separate program, since the package unpacks into the temp folder of its process.
await chromium.executablePath();
