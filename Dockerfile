# The service and the tool `edp`, with the Node that they are tested with.
FROM node:26-bookworm-slim AS installed
RUN npm install --global pnpm@12
WORKDIR /edp
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/domain/package.json packages/domain/
COPY packages/adapter-kit/package.json packages/adapter-kit/
COPY packages/adapters/enphase-envoy/package.json packages/adapters/enphase-envoy/
COPY packages/adapters/green-button/package.json packages/adapters/green-button/
COPY packages/adapters/home-assistant/package.json packages/adapters/home-assistant/
COPY packages/adapters/matter/package.json packages/adapters/matter/
COPY packages/adapters/mqtt/package.json packages/adapters/mqtt/
COPY packages/adapters/ocpp/package.json packages/adapters/ocpp/
COPY packages/adapters/shelly/package.json packages/adapters/shelly/
COPY packages/adapters/simulator/package.json packages/adapters/simulator/
COPY packages/adapters/sunspec/package.json packages/adapters/sunspec/
COPY packages/adapters/templates/package.json packages/adapters/templates/
COPY packages/adapters/tesla/package.json packages/adapters/tesla/
COPY packages/server/package.json packages/server/
COPY packages/cli/package.json packages/cli/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/hosted-pages/package.json packages/hosted-pages/
# Optional adapters, such as `matter`, separated by spaces. Those that are not named have no dependencies installed.
ARG ADAPTERS=""
# What only tests need stays out, and so does the Node that the package `node` would fetch: the image has one.
RUN pnpm install --prod --frozen-lockfile --ignore-scripts --filter @edp/server... --filter @edp/cli... \
  $(for adapter in $ADAPTERS; do echo "--filter @edp/adapter-$adapter..."; done)
COPY packages packages
RUN node --conditions=@edp/source packages/hosted-pages/src/build/build.ts && node --conditions=@edp/source packages/dashboard/src/build/build.ts

FROM node:26-bookworm-slim
COPY --from=installed /edp /edp
COPY deploy/edp /usr/local/bin/edp
RUN install --directory --owner node --group node --mode 0700 /data
WORKDIR /edp
ENV EDP_HOST=0.0.0.0 PORT=3000 EDP_DATA_DIR=/data EDP_PROCESSES=auto
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--conditions=@edp/source", "packages/server/src/main.ts"]
