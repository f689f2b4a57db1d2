import { describe, expect, it } from "vitest"
import { checkImports, generalRules } from "./checkImports.ts"
import { rooms, useRules } from "./rules.ts"
import { readSource } from "./sourceFile.ts"

/** The rules that a file breaks, given alone; every file that it names is taken to exist, unless it is called missing. */
const check = (path: string, text: string) => [
  ...new Set(checkImports([readSource(path, text)], (target) => !target.includes("missing")).map(({ rule }) => rule))
]

const server = "packages/server/src"
const ground = `${server}/platform`
const domain = "packages/domain/src"
const dashboard = "packages/dashboard/src"
const adapters = "packages/adapters"
const hosted = "packages/hosted-pages/src"
const kit = "packages/adapter-kit/src"

/** Rule, file, and a line in it that the rule must refuse. */
// prettier-ignore
const refused: ReadonlyArray<readonly [rule: string, path: string, text: string]> = [
  [generalRules.room, `${server}/unheard-of/Thing.ts`, ""],
  [generalRules.resolves, `${domain}/sites/Site.ts`, `import { Address } from "../shared/missing.ts"`],
  [generalRules.form, `${domain}/sites/Site.ts`, `import { Address } from "../shared/Address"`],
  [generalRules.form, `${domain}/sites/Site.ts`, `import { seed } from "../../../../test/support/Seed.ts"`],
  [generalRules.form, `${domain}/sites/Site.ts`, `import { Address } from "@edp/domain/shared/Address"`],
  [generalRules.form, `${server}/sites/Sites.ts`, `import { Site } from "@edp/domain/sites/Site.ts"`],
  [generalRules.form, `${server}/sites/Sites.ts`, `import { Site } from "../../../domain/src/sites/Site.ts"`],
  [generalRules.form, "packages/cli/src/main.ts", `import { NodeRuntime } from "@effect/platform-node"`],
  [generalRules.barrel, `${domain}/sites/index.ts`, ""],
  [generalRules.barrel, `${domain}/sites/Site.ts`, `export * from "../shared/Address.ts"`],
  [generalRules.barrel, `${domain}/sites/Site.ts`, `export { Address } from "../shared/Address.ts"`],
  [generalRules.cycle, `${domain}/sites/Site.ts`, `import type { Site } from "./Site.ts"`],

  ["domain/shared", `${domain}/shared/Page.ts`, `import { ApiError } from "../errors/ApiError.ts"`],
  ["domain/shared", `${domain}/shared/Page.ts`, `import { createHash } from "node:crypto"`],
  ["domain/errors", `${domain}/errors/ApiError.ts`, `import { Site } from "../sites/Site.ts"`],
  ["domain/words", `${domain}/auth/ApiKeyType.ts`, `import { CurrentKey } from "./Authentication.ts"`],
  ["domain/apis", `${domain}/sites/SitesApi.ts`, `import { DevicesApi } from "../devices/DevicesApi.ts"`],
  ["domain/auth", `${domain}/auth/Authentication.ts`, `import { SitesApi } from "../sites/SitesApi.ts"`],
  ["domain/events", `${domain}/events/Event.ts`, `import { Api } from "../Api.ts"`],
  ["domain/nouns", `${domain}/sites/Site.ts`, `import { SitesApi } from "./SitesApi.ts"`],
  ["domain/nouns", `${domain}/sites/Site.ts`, `import { SqlClient } from "effect/sql"`],
  ["domain/nouns", `${domain}/sites/Site.ts`, `const late = await import("node:fs")`],
  ["domain/nouns", `${domain}/sites/Site.ts`, `type Row = import("@edp/server/sites/SitesRepository").Row`],
  ["domain/client", `${domain}/Client.ts`, `import { SitesApi } from "./sites/SitesApi.ts"`],
  ["domain/api", `${domain}/Api.ts`, `import { NodeRuntime } from "@effect/platform-node/NodeRuntime"`],

  ["cli/package", "packages/cli/rolldown.config.ts", `import { VERSION } from "./src/kernel/environment.ts"`],
  ["cli/kernel", "packages/cli/src/kernel/paging.ts", `import { devices } from "../commands/devices.ts"`],
  ["cli", "packages/cli/src/main.ts", `import { Sites } from "@edp/server/sites/Sites"`],
  ["cli", "packages/cli/src/main.ts", `import { init } from "echarts/core"`],
  ["charts", "packages/cli/src/commands/metrics/charts/drawChart.ts", `import { Effect } from "effect"`],
  ["cli", "packages/cli/src/main.ts", `import { SqlClient } from "@effect/sql-pg/PgClient"`],

  ["platform/migrations", `${ground}/sql/migrations/0001_create_sites.ts`, `import { Cuid } from "@edp/domain/shared/Cuid"`],
  ["platform/migrations", `${ground}/sql/migrations/0001_create_sites.ts`, `import { createHash } from "node:crypto"`],
  ["platform/typed", `${ground}/outbox/EventOutbox.ts`, `import { Alerts } from "../../alerts/Alerts.ts"`],
  ["platform/pages", `${ground}/pages/Logos.ts`, `import { ConnectFlow } from "../../connections/flow/ConnectFlow.ts"`],
  ["platform/typed", `${ground}/locations/Geocoder.ts`, `import { Sites } from "../../sites/Sites.ts"`],
  ["platform", `${ground}/sql/transaction.ts`, `import { Sites } from "../../sites/Sites.ts"`],
  ["platform", `${ground}/sql/transaction.ts`, `import { Site } from "@edp/domain/sites/Site"`],
  ["platform", `${ground}/config/ServerConfig.ts`, `import { HttpApp } from "../../app/Api.ts"`],
  ["platform", `${ground}/secrets/SecretBox.ts`, `import { Destinations } from "../../destinations/Destinations.ts"`],
  ["platform/device-networks", `${ground}/device-networks/MqttBrokers.ts`, `import { Site } from "@edp/domain/sites/Site"`],
  ["platform/outbound", `${ground}/outbound/OutboundHttp.ts`, `import { bucketAt } from "../../energy/buckets.ts"`],
  ["energy", `${server}/energy/buckets.ts`, `import { Context } from "effect"`],
  ["energy", `${server}/energy/buckets.ts`, `import { SqlClient } from "effect/sql"`],
  ["energy", `${server}/energy/buckets.ts`, `import { query } from "../platform/sql/transaction.ts"`],

  ["ports", `${server}/destinations/senders/DestinationSender.ts`, `import { OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"`],
  ["kit/port", `${kit}/ManufacturerAdapter.ts`, `import { Devices } from "@edp/server/devices/Devices"`],
  ["kit/port", `${kit}/AdapterHost.ts`, `import { sendRequest } from "./http/httpResponse.ts"`],
  ["kit/decoding", `${kit}/decoding/units.ts`, `import { contained } from "@edp/server/platform/outbound/contained"`],
  ["kit/decoding", `${kit}/decoding/units.ts`, `import { Clock } from "effect"`],
  ["kit/modbus", `${kit}/modbus/frames.ts`, `import { openBroker } from "../broker/openBroker.ts"`],
  ["kit/broker", `${kit}/broker/openBroker.ts`, `import { contained } from "@edp/server/platform/outbound/contained"`],
  ["kit/http", `${kit}/http/httpResponse.ts`, `import { OAuthTokens } from "../oauth/OAuthTokens.ts"`],
  ["kit/oauth", `${kit}/oauth/tokens.ts`, `import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"`],
  ["kit/green-button", `${kit}/green-button/feedParser.ts`, `import { sendRequest } from "../http/httpResponse.ts"`],
  ["kit/inbound", `${kit}/inbound/closeCodes.ts`, `import { sendRequest } from "../http/httpResponse.ts"`],
  ["kit/testing", `${kit}/testing/TestHost.ts`, `import { it } from "vitest"`],
  ["adapters/physics", `${adapters}/acme/src/physics/tank.ts`, `import { parseUnit } from "@edp/adapter-kit/decoding/units"`],
  ["adapters/physics", `${adapters}/acme/src/physics/tank.ts`, `import { Effect } from "effect"`],
  ["list", `${server}/adapters/builtInAdapters.ts`, `import { Devices } from "../devices/Devices.ts"`],
  ["outside", `${server}/adapters/loadAdapters.ts`, `import { Devices } from "../devices/Devices.ts"`],
  ["adapters", `${adapters}/acme/src/Client.ts`, `import { Wire } from "@edp/adapter-other/Wire"`],
  ["adapters", `${adapters}/acme/src/Client.ts`, `import { SqlClient } from "effect/sql"`],
  ["adapters", `${adapters}/acme/src/Adapter.ts`, `import { Devices } from "@edp/server/devices/Devices"`],
  [generalRules.form, `${adapters}/acme/src/Adapter.ts`, `import { Wire } from "../../other/src/Wire.ts"`],
  [generalRules.form, `${adapters}/acme/src/Adapter.ts`, `import { Wire } from "@edp/adapter-acme/Wire"`],

  ["slice/layer", `${server}/sites/layer.ts`, `import * as devices from "../devices/layer.ts"`],
  ["slice/layer", `${server}/sites/layer.ts`, `import { Workspaces } from "../workspaces/Workspaces.ts"`],
  ["slice/layer", `${server}/sites/layer.ts`, `import { HttpApp } from "../app/Api.ts"`],
  ["slice/handlers", `${server}/sites/SitesHandlers.ts`, `import { r } from "./SitesRepository.ts"`],
  ["slice/handlers", `${server}/sites/SitesHandlers.ts`, `import { Workspaces } from "../workspaces/Workspaces.ts"`],
  ["slice/handlers", `${server}/sites/SitesHandlers.ts`, `import { SqlClient } from "effect/sql"`],
  ["slice/pages", `${server}/connections/ConnectPages.ts`, `import { SqlClient } from "effect/sql"`],
  ["slice/repositories", `${server}/sites/SitesRepository.ts`, `import { Sites } from "./Sites.ts"`],
  ["slice/repositories", `${server}/sites/SitesRepository.ts`, `import { r } from "../workspaces/WorkspacesRepository.ts"`],
  ["slice/tables", `${server}/devices/deviceTable.ts`, `import { r } from "./DevicesRepository.ts"`],
  ["slice/tables", `${server}/sites/siteTable.ts`, `import { deviceTable } from "../devices/deviceTable.ts"`],
  ["slice/ports", `${server}/customers/DeviceIdsPort.ts`, `import { customerTable } from "./customerTable.ts"`],
  ["slice/catalogue", `${server}/device-models/catalogue/batteries.ts`, `import { r } from "../DeviceModelsRepository.ts"`],
  ["slice/senders", `${server}/destinations/senders/kafkaClient.ts`, `import { r } from "../OutcomesRepository.ts"`],
  ["slice/senders", `${server}/destinations/senders/kafkaClient.ts`, `import { Destinations } from "../Destinations.ts"`],
  ["slice/pure", `${server}/alerts/alertRow.ts`, `import { Layer } from "effect"`],
  ["slice/pure", `${server}/alerts/alertRow.ts`, `import { SqlClient } from "effect/sql"`],
  ["slice/pure", `${server}/alerts/alertRow.ts`, `import { readFileSync } from "node:fs"`],
  ["slice/services", `${server}/sites/Sites.ts`, `import { Devices } from "../devices/Devices.ts"`],
  ["slice/services", `${server}/devices/Devices.ts`, `import { r } from "../sites/SitesRepository.ts"`],
  ["slice/services", `${server}/devices/Devices.ts`, `import * as sites from "../sites/layer.ts"`],
  ["slice/services", `${server}/sites/Sites.ts`, `import { HttpServerRequest } from "effect/http"`],
  ["slice/services", `${server}/accounts/Accounts.ts`, `import { teslaAdapter } from "@edp/adapter-tesla/teslaAdapter"`],
  ["slice/services", `${server}/sites/Sites.ts`, `import { HttpApp } from "../app/Api.ts"`],
  ["slice/services", `${server}/sites/Sites.ts`, `import { SitesHandlers } from "./SitesHandlers.ts"`],
  ["app", `${server}/main.ts`, `import { r } from "./api-keys/ApiKeysRepository.ts"`],
  ["app", `${server}/app/Api.ts`, `import { SitesHandlers } from "../sites/SitesHandlers.ts"`],

  ["dashboard/built", `${dashboard}/build/sourceDigest.ts`, `import { build } from "vite"`],
  ["dashboard/build", `${dashboard}/build/build.ts`, `import { pageClient } from "../api/makeApi.ts"`],
  ["dashboard/state", `${dashboard}/state/now.ts`, `import { kitMessages } from "../kit/messages.ts"`],
  ["dashboard/messages", `${dashboard}/i18n/bindMessages.ts`, `import { nowMillis } from "../state/now.ts"`],
  ["dashboard/i18n", `${dashboard}/i18n/format.ts`, `import { Button } from "../kit/Button.tsx"`],
  ["dashboard/api", `${dashboard}/api/session.ts`, `import { Button } from "../kit/Button.tsx"`],
  ["dashboard/resources", `${dashboard}/resources/sites.ts`, `import { siteName } from "../kit/names.ts"`],
  ["dashboard/kit", `${dashboard}/kit/Table.tsx`, `import { TimeChart } from "../charts/TimeChart.tsx"`],
  ["dashboard/charts", `${dashboard}/charts/series.ts`, `import { messages } from "../pages/energy/messages.ts"`],
  ["dashboard/charts", `${dashboard}/charts/series.ts`, `import * as echarts from "echarts"`],
  ["dashboard/pages", `${dashboard}/pages/alerts/Page.tsx`, `import { texts } from "../energy/texts.ts"`],
  ["dashboard/pages", `${dashboard}/pages/alerts/Page.tsx`, `import { router } from "../../app/router.tsx"`],
  ["dashboard/app", `${dashboard}/app/router.tsx`, `import { readFileSync } from "node:fs"`],

  ["dashboard/static", `${dashboard}/kit/Button.tsx`, `import { useSearch } from "./useSearch.ts"`],
  ["dashboard/static", `${dashboard}/kit/Button.tsx`, `import { createLink } from "@tanstack/react-router"`],

  ["hosted-pages/build", `${hosted}/build/built.ts`, `import { files } from "../render.ts"`],
  ["hosted-pages", `${hosted}/render.ts`, `import { ConnectPages } from "@edp/server/connections/ConnectPages"`],
  ["hosted-pages", `${hosted}/kit/Page.tsx`, `import { Table } from "@edp/dashboard/kit/Table.tsx"`],

  ["connect", "packages/connect/src/connect.ts", `import { Effect } from "effect"`],

  ["examples", "examples/push/push.ts", `import { Sites } from "@edp/server/sites/Sites"`],

  ["settings are read in one place", `${server}/sites/Sites.ts`, "const url = process.env.DATABASE_URL"],
  ["time comes from Clock and DateTime", `${server}/sites/Sites.ts`, "const now = new Date()"],
  ["time comes from Clock and DateTime", `${domain}/sites/Site.ts`, "const now = Date.now()"],
  ["durations come from Clock", `${server}/sites/Sites.ts`, "const start = performance.now()"],
  ["a pure file gets the time as an argument", `${server}/alerts/alertRow.ts`, "const now = DateTime.nowUnsafe()"],
  ["a pure file of an adapter gets the time as an argument", `${adapters}/acme/src/decode.ts`, "const now = Clock.currentTimeMillis"],
  ["a pure file of an adapter gets the time as an argument", `${kit}/decoding/units.ts`, "const now = DateTime.nowUnsafe()"],
  ["randomness is cryptographic", `${domain}/shared/Cuid.ts`, "const one = Math.random()"],
  ["only main ends the process", `${server}/Server.ts`, "process.exit(1)"],
  ["output goes through Console or the log", `${server}/sites/Sites.ts`, "console.log(1)"]
]

/** Lines that look like the refused ones and are allowed. */
// prettier-ignore
const accepted: ReadonlyArray<readonly [path: string, text: string]> = [
  [`${server}/devices/Devices.ts`, `import { Sites } from "../sites/Sites.ts"; import { EventOutbox } from "../platform/outbox/EventOutbox.ts"`],
  [`${server}/devices/layer.ts`, `import * as sites from "../sites/layer.ts"; import { DevicesRepository } from "./DevicesRepository.ts"`],
  [`${server}/workspaces/Workspaces.ts`, `import { Organizations } from "./Organizations.ts"`],
  [`${server}/sites/Sites.ts`, `import { inTransaction } from "../platform/sql/transaction.ts"`],
  [`${adapters}/acme/src/Adapter.ts`, `import { Wire } from "./Wire.ts"; import { HttpClient } from "effect/http"`],
  [`${adapters}/acme/src/decode.ts`, `import { parseUnit } from "@edp/adapter-kit/decoding/units"`],
  [`${adapters}/acme/src/Adapter.ts`, `import { frame } from "@edp/adapter-kit/modbus/frames"`],
  [`${server}/sites/Sites.ts`, `// import { Devices } from "../devices/Devices.ts", process.env\nconst text = 'console.log("x")'`],
  [`${server}/sites/Sites.ts`, "const then = new Date(0)"],
  [`${server}/main.ts`, "const port = process.env.PORT"],
  ["test/server/sites.test.ts", `import { Sites } from "@edp/server/sites/Sites"; const now = Date.now()`]
]

describe("the import rules", () => {
  it.each(refused)("%s: %s may not have `%s`", (rule, path, text) => {
    expect(check(path, text)).toContain(rule)
  })

  it.each(accepted)("%s may have `%s`", (path, text) => {
    expect(check(path, text)).toEqual([])
  })

  it("each refuse something here, but for cycles between folders and the tests' own row, which allows everything", () => {
    const all = [...Object.values(generalRules), ...rooms.map(({ name }) => name), ...useRules.map(({ name }) => name)]
    const tried = new Set(refused.map(([rule]) => rule))
    expect(all.filter((rule) => !tried.has(rule))).toEqual([generalRules.folderCycle, generalRules.topicCycle, "test"])
  })

  it("find a cycle between folders whose files form none", () => {
    const files = [
      readSource(`${server}/sites/Sites.ts`, `import { Device } from "../devices/Device.ts"`),
      readSource(`${server}/sites/Site.ts`, ""),
      readSource(`${server}/devices/Devices.ts`, `import { Site } from "../sites/Site.ts"`),
      readSource(`${server}/devices/Device.ts`, "")
    ]
    expect(checkImports(files, () => true).filter(({ rule }) => rule === generalRules.folderCycle)).toHaveLength(1)
  })

  it("find a cycle between the topics of a slice whose files form none", () => {
    const files = [
      readSource(`${server}/commands/Commands.ts`, `import { issue } from "./issuing/CommandIssuer.ts"`),
      readSource(`${server}/commands/issuing/CommandIssuer.ts`, `import { Row } from "../batches/batchRow.ts"`),
      readSource(`${server}/commands/batches/batchRow.ts`, ""),
      readSource(`${server}/commands/batches/BatchCommands.ts`, `import { Commands } from "../Commands.ts"`)
    ]
    expect(checkImports(files, () => true).map(({ rule }) => rule)).toEqual([generalRules.topicCycle])
  })

  it("find a cycle over several files once", () => {
    const texts = { Api: "./Page.ts", Page: "./Text.ts", Text: "./Api.ts" }
    const files = Object.entries(texts).map(([name, target]) =>
      readSource(`${domain}/shared/${name}.ts`, `import type { X } from "${target}"`)
    )
    expect(checkImports(files, () => true).map(({ message }) => message)).toEqual([
      "packages/domain/src/shared/Api.ts → packages/domain/src/shared/Page.ts → packages/domain/src/shared/Text.ts → packages/domain/src/shared/Api.ts"
    ])
  })
})
