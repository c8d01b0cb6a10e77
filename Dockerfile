# syntax=docker/dockerfile:1

# The targets `full` (all adapters, the default) and `slim` (the adapters of the package `headgate` only). Nothing runs
# on the target platform, so that one machine builds all platforms.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
WORKDIR /src
ENV CI=true
COPY . .
RUN .ci/install-pnpm /usr/local/bin \
 && pnpm install --frozen-lockfile \
 && pnpm build \
 && pnpm --filter headgate-image deploy --prod --legacy /layout/full \
 && pnpm --filter headgate-slim deploy --prod --legacy /layout/slim \
 && install -d /layout/data

FROM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS node

FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f AS base
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 HEADGATE_DATA_DIR=/data HEADGATE_ADAPTER_FOLDERS=/app:/adapters
COPY --from=node /usr/local/bin/node /usr/local/bin/node
# Group 0, because some platforms choose the user id and keep this group.
COPY --from=build --chown=65532:0 --chmod=0770 /layout/data /data
USER 65532:0
WORKDIR /data
EXPOSE 8787
# There is no shell: the program checks itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["/usr/local/bin/node", "/app/node_modules/headgate/dist/cli.js", "health"]
# Node is process 1, so that SIGTERM reaches it.
ENTRYPOINT ["/usr/local/bin/node", "/app/node_modules/headgate/dist/cli.js"]

FROM base AS slim
COPY --from=build /layout/slim /app

FROM base AS full
COPY --from=build /layout/full /app
