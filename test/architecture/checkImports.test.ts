import { describe, expect, it } from "vitest"
import { checkImports, generalRules } from "./checkImports.ts"
import { rooms, useRules } from "./rules.ts"
import { readSource } from "./sourceFile.ts"

/** The rules that a file breaks, given alone; every file that it names is taken to exist, unless it is called missing. */
const check = (path: string, text: string) => [
  ...new Set(checkImports([readSource(path, text)], (target) => !target.includes("missing")).map(({ rule }) => rule))
]

const server = "packages/server/src"
const domain = "packages/domain/src"

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

  ["cli/package", "packages/cli/rolldown.config.ts", `import { VERSION } from "./src/version.ts"`],
  ["cli", "packages/cli/src/main.ts", `import { Sites } from "@edp/server/sites/Sites"`],
  ["cli", "packages/cli/src/main.ts", `import { init } from "echarts/core"`],
  ["charts", "packages/cli/src/commands/metrics/charts/drawChart.ts", `import { Effect } from "effect"`],
  ["cli", "packages/cli/src/main.ts", `import { SqlClient } from "@effect/sql-pg/PgClient"`],

  ["server/migrations", `${server}/sql/migrations/0001_create_sites.ts`, `import { Cuid } from "@edp/domain/shared/Cuid"`],
  ["server/migrations", `${server}/sql/migrations/0001_create_sites.ts`, `import { createHash } from "node:crypto"`],
  ["server/service-tools", `${server}/sql/transaction.ts`, `import { Sites } from "../sites/Sites.ts"`],
  ["server/sql", `${server}/sql/references.ts`, `import { Sites } from "../sites/Sites.ts"`],
  ["server/settings", `${server}/ServerConfig.ts`, `import { Database } from "./sql/Database.ts"`],
  ["server/middleware", `${server}/http/middleware/Access.ts`, `import { r } from "../../api-keys/ApiKeysRepository.ts"`],
  ["server/http", `${server}/http/AccessLog.ts`, `import { ApiHandlers } from "./ApiHandlers.ts"`],
  ["server/http", `${server}/http/nextCursor.ts`, `import { Devices } from "../devices/Devices.ts"`],
  ["server/wiring", `${server}/Services.ts`, `import { Database } from "./sql/Database.ts"`],
  ["server/wiring", `${server}/Services.ts`, `import { SitesHandlers } from "./sites/SitesHandlers.ts"`],
  ["server/first-start", `${server}/first-start/firstKeys.ts`, `import { ApiKeys } from "../api-keys/ApiKeys.ts"`],
  ["server/processes", `${server}/main.ts`, `import { r } from "./api-keys/ApiKeysRepository.ts"`],
  ["server/processes", `${server}/http/ApiHandlers.ts`, `import { r } from "../sites/SitesRepository.ts"`],

  ["server/ports", `${server}/manufacturers/ManufacturerAdapter.ts`, `import { Devices } from "../devices/Devices.ts"`],
  ["server/ports", `${server}/destinations/senders/DestinationSender.ts`, `import { OutboundHttp } from "../../outbound/OutboundHttp.ts"`],
  ["server/adapters", `${server}/manufacturers/adapters/acme/Client.ts`, `import { Wire } from "../other/Wire.ts"`],
  ["server/adapters", `${server}/manufacturers/adapters/acme/Client.ts`, `import { SqlClient } from "effect/sql"`],
  ["server/adapters", `${server}/manufacturers/adapters/acme/Adapter.ts`, `import { Devices } from "../../../devices/Devices.ts"`],
  ["server/adapter-list", `${server}/manufacturers/builtInAdapters.ts`, `import { Sites } from "../sites/Sites.ts"`],

  ["server/handlers", `${server}/sites/SitesHandlers.ts`, `import { r } from "./SitesRepository.ts"`],
  ["server/handlers", `${server}/sites/SitesHandlers.ts`, `import { Workspaces } from "../workspaces/Workspaces.ts"`],
  ["server/handlers", `${server}/sites/SitesHandlers.ts`, `import { SqlClient } from "effect/sql"`],
  ["server/repositories", `${server}/sites/SitesRepository.ts`, `import { Sites } from "./Sites.ts"`],
  ["server/repositories", `${server}/sites/SitesRepository.ts`, `import { EventOutbox } from "../events/EventOutbox.ts"`],
  ["server/repositories", `${server}/sites/SitesRepository.ts`, `import { r } from "../devices/DevicesRepository.ts"`],
  ["server/workers", `${server}/alerts/OfflineWorker.ts`, `import { r } from "./AlertsRepository.ts"`],
  ["server/catalogue", `${server}/device-models/catalogue/batteries.ts`, `import { r } from "../DeviceModelsRepository.ts"`],
  ["server/audit-trail", `${server}/audit/AuditTrail.ts`, `import { Workspaces } from "../workspaces/Workspaces.ts"`],
  ["server/outbox", `${server}/events/EventOutbox.ts`, `import { Alerts } from "../alerts/Alerts.ts"`],
  ["server/senders", `${server}/destinations/senders/kafkaClient.ts`, `import { r } from "../LanesRepository.ts"`],
  ["server/senders", `${server}/destinations/senders/kafkaClient.ts`, `import { Destinations } from "../Destinations.ts"`],
  ["server/pure", `${server}/alerts/alertLifecycle.ts`, `import { Layer } from "effect"`],
  ["server/pure", `${server}/alerts/alertLifecycle.ts`, `import { SqlClient } from "effect/sql"`],
  ["server/pure", `${server}/alerts/alertLifecycle.ts`, `import { Alerts } from "./Alerts.ts"`],
  ["server/pure", `${server}/alerts/alertLifecycle.ts`, `import { readFileSync } from "node:fs"`],
  ["server/services", `${server}/sites/Sites.ts`, `import { Devices } from "../devices/Devices.ts"`],
  ["server/services", `${server}/devices/Devices.ts`, `import { r } from "../sites/SitesRepository.ts"`],
  ["server/services", `${server}/sites/Sites.ts`, `import { HttpServerRequest } from "effect/http"`],
  ["server/services", `${server}/sites/Sites.ts`, `import { Database } from "../sql/Database.ts"`],
  ["server/services", `${server}/sites/Sites.ts`, `import { SitesHandlers } from "./SitesHandlers.ts"`],
  ["server/support", `${server}/locations/Geocoder.ts`, `import { Sites } from "../sites/Sites.ts"`],
  ["server/support", `${server}/outbound/OutboundHttp.ts`, `import { Destinations } from "../destinations/Destinations.ts"`],
  ["server/support", `${server}/secrets/SecretBox.ts`, `import { Destinations } from "../destinations/Destinations.ts"`],

  ["examples", "examples/push/push.ts", `import { Sites } from "@edp/server/sites/Sites"`],

  ["settings are read in one place", `${server}/sites/Sites.ts`, "const url = process.env.DATABASE_URL"],
  ["time comes from Clock and DateTime", `${server}/sites/Sites.ts`, "const now = new Date()"],
  ["time comes from Clock and DateTime", `${domain}/sites/Site.ts`, "const now = Date.now()"],
  ["durations come from Clock", `${server}/sites/Sites.ts`, "const start = performance.now()"],
  ["a pure file is told the time", `${server}/alerts/alertLifecycle.ts`, "const now = DateTime.nowUnsafe()"],
  ["randomness is cryptographic", `${domain}/shared/Cuid.ts`, "const one = Math.random()"],
  ["only main ends the process", `${server}/Server.ts`, "process.exit(1)"],
  ["output goes through Console or the log", `${server}/sites/Sites.ts`, "console.log(1)"]
]

/** Lines that look like the refused ones and are allowed. */
// prettier-ignore
const accepted: ReadonlyArray<readonly [path: string, text: string]> = [
  [`${server}/devices/Devices.ts`, `import { Sites } from "../sites/Sites.ts"; import { EventOutbox } from "../events/EventOutbox.ts"`],
  [`${server}/events/EventOutbox.ts`, `import { OutboxRepository } from "./OutboxRepository.ts"`],
  [`${server}/workspaces/Workspaces.ts`, `import { Organizations } from "../organizations/Organizations.ts"`],
  [`${server}/direct-integration/DirectIntegrationHandlers.ts`, `import { TelemetryWriter } from "../telemetry/TelemetryWriter.ts"`],
  [`${server}/sites/Sites.ts`, `import { inTransaction } from "../sql/transaction.ts"`],
  [`${server}/manufacturers/adapters/acme/Adapter.ts`, `import { Wire } from "./Wire.ts"; import { HttpClient } from "effect/http"`],
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

  it("each refuse something here, but for the tests' own row, which allows everything", () => {
    const all = [...Object.values(generalRules), ...rooms.map(({ name }) => name), ...useRules.map(({ name }) => name)]
    const tried = new Set(refused.map(([rule]) => rule))
    expect(all.filter((rule) => !tried.has(rule))).toEqual(["test"])
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
