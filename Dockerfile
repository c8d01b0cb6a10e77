# syntax=docker/dockerfile:1

FROM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
WORKDIR /src
ENV CI=true
COPY . .
RUN .ci/install-pnpm /usr/local/bin \
 && pnpm install --frozen-lockfile \
 && pnpm build \
 && pnpm --filter headgate-image deploy --prod --legacy /app

FROM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 HEADGATE_DATA_DIR=/data HEADGATE_ADAPTER_FOLDERS=/app:/adapters
COPY --from=build /app /app
RUN install -d -o node -g node -m 0700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1, so that SIGTERM reaches it.
ENTRYPOINT ["node", "/app/node_modules/headgate/dist/cli.js"]
