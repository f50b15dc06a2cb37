import chromium from "@sparticuz/chromium";

// A program of its own, since the package unpacks into what this process takes for the temp folder.
await chromium.executablePath();
