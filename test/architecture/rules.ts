/**
 * Who may import whom. A file belongs to the first room whose pattern it matches, and a file that matches none fails the
 * test: a new kind of file gets its row here first.
 *
 * Patterns: `*` is any part of a name, `**` any path, `<slice>` one of the slices below, `<slug>` one folder name.
 * `mayImport` names rooms; a name stands for the rooms below it too (`domain` is all of `domain/…`).
 *   `:own`      only from the same slice (or the same `<slug>` folder)
 *   `:earlier`  only from slices that come before in the order
 * `packages` are the modules from node_modules and from Node itself; a leading `!` takes some out again.
 */
export interface Room {
  readonly name: string
  readonly files: string | ReadonlyArray<string>
  readonly mayImport: ReadonlyArray<string>
  readonly packages: ReadonlyArray<string>
  /** Names that may not be taken from a package that is allowed otherwise. */
  readonly notNames?: ReadonlyArray<string>
}

/** A service imports only from earlier slices; names on one line are one slice. */
export const sliceOrder: ReadonlyArray<ReadonlyArray<string>> = [
  ["audit"],
  ["workspaces", "organizations"],
  ["api-keys"],
  ["manufacturers"],
  ["device-models"],
  ["customers"],
  ["sites"],
  ["devices", "tags"],
  ["telemetry", "direct-integration"],
  ["alerts"],
  ["metrics"],
  ["collections"],
  ["events"],
  ["destinations"],
  ["commands"],
  ["schedules"],
  ["connections"],
  ["programs"],
  ["enrollments"]
]

/** Effect without SQL, the command line and everything of one platform. */
const contract = ["effect", "effect/*", "!effect/sql", "!effect/cli"]
const anything = ["*"]
/** What computes a result from values alone; hashing is such a computation, waiting and reading are not. */
const computation = ["effect", "effect/schema", "node:crypto", "node:buffer", "node:util", "node:net"]
const noHttp = ["*", "!effect/http", "!effect/http-api", "!@effect/platform-node/NodeHttp*"]

// prettier-ignore
export const rooms: ReadonlyArray<Room> = [
  // the contract
  { name: "domain/shared", files: "packages/domain/src/shared/**", mayImport: ["domain/shared"], packages: contract },
  { name: "domain/errors", files: "packages/domain/src/errors/**", mayImport: ["domain/errors"], packages: contract },
  { name: "domain/words", files: ["packages/domain/src/auth/ApiKeyType.ts", "packages/domain/src/auth/RateLimits.ts", "packages/domain/src/events/EventType.ts"], mayImport: ["domain/shared"], packages: contract },
  { name: "domain/apis", files: "packages/domain/src/<slice>/*Api.ts", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/events", "domain/auth"], packages: contract },
  { name: "domain/auth", files: "packages/domain/src/auth/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/auth"], packages: contract },
  { name: "domain/events", files: "packages/domain/src/events/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/events"], packages: contract },
  { name: "domain/nouns", files: "packages/domain/src/<slice>/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns"], packages: contract },
  { name: "domain/client", files: ["packages/domain/src/Client.ts", "packages/domain/src/client/**"], mayImport: ["domain/client", "domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/events", "domain/auth", "domain/api"], packages: contract },
  { name: "domain/api", files: ["packages/domain/src/*.ts", "packages/domain/src/openapi/**"], mayImport: ["domain"], packages: contract },

  // the operator's tool
  { name: "charts", files: "packages/cli/src/commands/metrics/charts/**", mayImport: ["charts", "cli", "domain"], packages: ["echarts", "echarts/*", "@resvg/resvg-wasm", "node:*"] },
  { name: "cli/package", files: "packages/cli/rolldown.config.ts", mayImport: [], packages: ["node:*", "rolldown"] },
  { name: "cli", files: "packages/cli/src/**", mayImport: ["cli", "charts", "domain"], packages: ["effect", "effect/*", "@effect/platform-node/*", "node:*"] },

  // the service: what every slice stands on
  { name: "server/settings", files: ["packages/server/src/platform/config/ServerConfig.ts", "packages/server/src/settings/**", "packages/server/src/**/StartError.ts"], mayImport: ["domain", "server/settings", "server/http", "server/support"], packages: ["effect", "effect/*", "node:*"] },
  { name: "server/migrations", files: "packages/server/src/sql/migrations/**", mayImport: [], packages: ["effect", "effect/sql"] },
  // they run no statement of their own, so services may use them
  { name: "server/service-tools", files: "packages/server/src/sql/{transaction,holdTransaction,RequestTransaction,Ids,iso,paginate,coalesce,shareEqual,changedNames,realChanges}.ts", mayImport: ["domain", "server/service-tools", "server/sql", "server/settings"], packages: anything },
  { name: "server/sql", files: "packages/server/src/sql/**", mayImport: ["domain", "server/sql", "server/service-tools", "server/migrations", "server/settings"], packages: anything },
  { name: "server/middleware", files: "packages/server/src/http/middleware/**", mayImport: ["domain", "server/services", "server/support", "server/settings", "server/middleware", "server/http"], packages: anything },
  // it lays the Layers on each other and does nothing else, so it alone may name repositories from outside their slice
  { name: "server/wiring", files: "packages/server/src/app/Services.ts", mayImport: ["server/services", "server/repositories", "server/audit-trail", "server/outbox", "server/support"], packages: ["effect"] },
  // before there is a caller: it makes the keys that services ask for
  { name: "server/first-start", files: "packages/server/src/first-start/**", mayImport: ["domain", "server/first-start", "server/service-tools", "server/settings", "server/pure"], packages: anything },
  { name: "server/http", files: ["packages/server/src/http/[a-z]*.ts", "packages/server/src/http/{AccessLog,FrontServer,RequestInfo}.ts"], mayImport: ["domain", "server/http", "server/settings", "server/support"], packages: anything },
  { name: "server/processes", files: ["packages/server/src/*.ts", "packages/server/src/http/*.ts", "packages/server/src/tools/**"], mayImport: ["domain", "server/processes", "server/wiring", "server/first-start", "server/http", "server/middleware", "server/handlers", "server/workers", "server/services", "server/outbox", "server/support", "server/sql", "server/service-tools", "server/settings"], packages: anything },

  // the service: manufacturers plug in
  { name: "server/ports", files: ["packages/server/src/manufacturers/ManufacturerAdapter.ts", "packages/server/src/destinations/senders/DestinationSender.ts"], mayImport: ["domain"], packages: contract },
  { name: "server/adapters", files: "packages/server/src/manufacturers/adapters/<slug>/**", mayImport: ["domain", "server/ports", "server/adapters:own"], packages: [...contract, "node:crypto"] },
  { name: "server/adapter-list", files: "packages/server/src/manufacturers/builtInAdapters.ts", mayImport: ["server/ports", "server/adapters"], packages: [] },

  // the service: the parts of a slice, from the edge inwards
  { name: "server/handlers", files: "packages/server/src/<slice>/**Handlers.ts", mayImport: ["domain", "server/http", "server/services:own"], packages: ["effect", "effect/http", "effect/http-api"] },
  { name: "server/repositories", files: "packages/server/src/<slice>/**Repository.ts", mayImport: ["domain", "server/sql", "server/service-tools", "server/repositories:own", "server/pure:own", "server/catalogue:own"], packages: noHttp },
  { name: "server/workers", files: ["packages/server/src/<slice>/**Worker.ts", "packages/server/src/<slice>/**Poller.ts", "packages/server/src/<slice>/**Dispatcher.ts"], mayImport: ["domain", "server/workers:own", "server/services", "server/outbox", "server/pure:own", "server/ports", "server/support", "server/settings", "server/service-tools"], packages: noHttp },
  { name: "server/catalogue", files: "packages/server/src/<slice>/catalogue/**", mayImport: ["domain", "server/catalogue:own"], packages: computation },
  // the only part of a slice that looks at the request: who calls, from where
  { name: "server/audit-trail", files: "packages/server/src/<slice>/AuditTrail.ts", mayImport: ["domain", "server/repositories:own", "server/pure:own", "server/service-tools", "server/http"], packages: noHttp },
  { name: "server/outbox", files: "packages/server/src/<slice>/EventOutbox.ts", mayImport: ["domain", "server/repositories:own", "server/pure:own", "server/service-tools"], packages: noHttp },
  // each kind of destination has a service and what that one needs to speak with the outside
  { name: "server/senders", files: "packages/server/src/<slice>/senders/[a-z]*.ts", mayImport: ["domain", "server/ports", "server/senders", "server/pure:own", "server/pure:earlier", "server/support"], packages: noHttp },
  { name: "server/pure", files: "packages/server/src/<slice>/**/[a-z]*.ts", mayImport: ["domain", "server/pure:own", "server/pure:earlier", "server/ports"], packages: computation, notNames: ["Layer", "Clock", "Random", "Context"] },
  { name: "server/services", files: "packages/server/src/<slice>/**", mayImport: ["domain", "server/services:own", "server/services:earlier", "server/repositories:own", "server/pure:own", "server/pure:earlier", "server/catalogue:own", "server/audit-trail", "server/outbox", "server/ports", "server/senders", "server/adapter-list", "server/support", "server/service-tools", "server/settings"], packages: noHttp },

  // the service: outside services and what is shared by slices
  { name: "server/support", files: "packages/server/src/{locations,weather,rate-limits,idempotency,observability,outbound,secrets}/**", mayImport: ["domain", "server/support", "server/sql", "server/service-tools", "server/settings"], packages: anything },

  // nobody imports these
  { name: "test", files: "test/**", mayImport: ["domain", "cli", "charts", "server", "test", "examples"], packages: anything },
  { name: "examples", files: "examples/**", mayImport: ["examples", "domain"], packages: ["effect", "effect/*", "@effect/platform-node/*", "node:*"] }
]

/** What only a few files may do, so that settings have one home and tests own the time. */
export interface UseRule {
  readonly name: string
  readonly uses: ReadonlyArray<string>
  readonly within: string
  readonly onlyIn: ReadonlyArray<string>
}

const sql = "packages/server/src/sql"
const mains = ["packages/server/src/{main,program}.ts", "packages/cli/src/main.ts"]

// prettier-ignore
export const useRules: ReadonlyArray<UseRule> = [
  // embeddedFolder hands its environment on to a child process; postgresAddress tells the user that the driver will take
  { name: "settings are read in one place", uses: ["process.env"], within: "packages/**", onlyIn: ["packages/server/src/platform/config/ServerConfig.ts", `${sql}/newDatabase.ts`, `${sql}/postgresAddress.ts`, ...mains] },
  // folderLock stamps a file and AccessLog a line, each with the time of the machine and outside any fiber
  { name: "time comes from Clock and DateTime", uses: ["Date.now", "new Date()"], within: "packages/**", onlyIn: ["packages/domain/src/shared/Cuid.ts", `${sql}/folderLock.ts`, "packages/server/src/platform/http/AccessLog.ts", ...mains] },
  // PgliteBridge is plain Node streams, which no fiber runs
  { name: "durations come from Clock", uses: ["performance.now", "process.hrtime"], within: "packages/**", onlyIn: [`${sql}/PgliteBridge.ts`, ...mains] },
  { name: "a pure file is told the time", uses: ["DateTime.now", "DateTime.nowUnsafe", "Clock.currentTimeMillis"], within: "packages/server/src/<slice>/**/[a-z]*.ts", onlyIn: [] },
  { name: "randomness is cryptographic", uses: ["Math.random"], within: "packages/**", onlyIn: [] },
  // initEmbedded is the main file of a process of its own
  { name: "only main ends the process", uses: ["process.exit"], within: "packages/**", onlyIn: [`${sql}/initEmbedded.ts`, ...mains] },
  { name: "output goes through Console or the log", uses: ["console.log", "console.info", "console.warn", "console.error", "console.debug"], within: "packages/**", onlyIn: mains }
]
