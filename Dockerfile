# The digest of node:26-slim, because a tag can be moved: docs/deploy/README.md says how to get it.
ARG NODE_DIGEST
FROM node@${NODE_DIGEST} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY scripts/node scripts/node
RUN npm ci --ignore-scripts && node scripts/node/link.js
COPY . .
# The Node.js of the lock file, not that of the image. The libraries of the C compiler that it and the
# native code need are all that the image adds.
RUN mkdir data image && node_modules/.bin/node scripts/release/executable.ts image/latchkey \
  && ldd image/latchkey node_modules/@node-rs/*/*.node | grep -o '/[^ ]* (0x' | cut -d' ' -f1 \
  | sort -u | xargs cp --dereference --parents --target-directory=image

FROM scratch
LABEL org.opencontainers.image.title="Latchkey" \
  org.opencontainers.image.description="A sign-in for self-hosted web apps" \
  org.opencontainers.image.licenses="MIT"
# The executable writes its native code to TMPDIR for a moment, to load it.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data TMPDIR=/data
COPY --from=build /build/image /
# The only writable folder: the rest of the file system may be read-only.
COPY --from=build --chown=1000:1000 --chmod=0700 /build/data /data
USER 1000:1000
VOLUME ["/data"]
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s CMD ["/latchkey", "health"]
ENTRYPOINT ["/latchkey"]
CMD ["serve"]
