/**
 * The import rules. A file belongs to the first room whose pattern it matches; a file that matches none fails the
 * test, so a new kind of file needs a row here.
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
  ["readings", "telemetry", "direct-integration"],
  ["alerts"],
  ["metrics"],
  ["collections"],
  ["events"],
  ["destinations"],
  ["adapters"],
  ["accounts"],
  ["products"],
  ["connections"],
  ["commands"],
  ["home-assistant"],
  ["schedules"],
  ["programs"],
  ["enrollments"],
  ["dispatches"],
  ["grid"],
  ["vtn", "openadr"],
  ["search"],
  ["dashboard"],
  ["moves"]
]

/** Effect without SQL, the command line and everything of one platform. */
const contract = ["effect", "effect/*", "!effect/sql", "!effect/cli"]
const anything = ["*"]
/** Modules for pure computation; hashing is one, waiting and reading are not. */
const computation = ["effect", "effect/schema", "node:crypto", "node:buffer", "node:util", "node:net", "node:url"]
const noHttp = ["*", "!effect/http", "!effect/http-api", "!@effect/platform-node/NodeHttp*"]

// prettier-ignore
export const rooms: ReadonlyArray<Room> = [
  // the contract
  { name: "domain/shared", files: "packages/domain/src/shared/**", mayImport: ["domain/shared"], packages: contract },
  { name: "domain/errors", files: "packages/domain/src/errors/**", mayImport: ["domain/shared", "domain/errors"], packages: contract },
  { name: "domain/words", files: ["packages/domain/src/auth/ApiKeyType.ts", "packages/domain/src/events/EventType.ts"], mayImport: ["domain/shared"], packages: contract },
  { name: "domain/apis", files: "packages/domain/src/<slice>/*Api.ts", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/events", "domain/auth"], packages: contract },
  { name: "domain/auth", files: "packages/domain/src/auth/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/auth"], packages: contract },
  { name: "domain/events", files: "packages/domain/src/events/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/events"], packages: contract },
  { name: "domain/nouns", files: "packages/domain/src/<slice>/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/nouns"], packages: contract },
  { name: "domain/client", files: ["packages/domain/src/Client.ts", "packages/domain/src/client/**"], mayImport: ["domain/client", "domain/shared", "domain/errors", "domain/words", "domain/nouns", "domain/events", "domain/auth", "domain/api"], packages: contract },
  { name: "domain/api", files: ["packages/domain/src/*.ts", "packages/domain/src/openapi/**"], mayImport: ["domain"], packages: contract },

  // the operator's tool
  { name: "charts", files: ["packages/cli/src/commands/charts/**", "packages/cli/src/commands/*/charts/**"], mayImport: ["charts", "cli", "domain"], packages: ["echarts", "echarts/*", "@resvg/resvg-wasm", "node:*"] },
  { name: "cli/package", files: "packages/cli/rolldown.config.ts", mayImport: [], packages: ["node:*", "rolldown"] },
  { name: "cli/kernel", files: "packages/cli/src/kernel/**", mayImport: ["cli/kernel", "domain"], packages: ["effect", "effect/*", "node:*", "temporal-polyfill"] },
  { name: "cli", files: "packages/cli/src/**", mayImport: ["cli", "charts", "domain", "kit", "adapters"], packages: ["effect", "effect/*", "@effect/platform-node/*", "hyparquet-writer", "s3mini", "node:*"] },

  // the kit for web pages: nothing but the browser
  { name: "connect", files: "packages/connect/src/**", mayImport: [], packages: [] },

  // the operators' page: in the browser, except for its build, of which the server knows only where the files are and from which sources
  { name: "dashboard/built", files: "packages/dashboard/src/build/sourceDigest.ts", mayImport: [], packages: ["node:*"] },
  { name: "dashboard/build", files: ["packages/dashboard/src/build/**", "packages/dashboard/vite.config.ts"], mayImport: ["dashboard/build", "dashboard/built"], packages: ["node:*", "vite", "icu-minify/compile", "topojson-client", "@react-aria/optimize-locales-plugin"] },
  { name: "dashboard/state", files: "packages/dashboard/src/state/**", mayImport: ["dashboard/state"], packages: ["effect", "effect/reactivity", "react"] },
  // messages as the build compiles them, for the hosted pages too
  { name: "dashboard/messages", files: ["packages/dashboard/src/i18n/bindMessages.ts", "packages/dashboard/src/i18n/intlFormats.ts"], mayImport: ["domain", "dashboard/messages"], packages: ["icu-minify/format"] },
  { name: "dashboard/i18n", files: "packages/dashboard/src/i18n/**", mayImport: ["domain", "dashboard/state", "dashboard/messages", "dashboard/i18n"], packages: ["effect", "effect/reactivity", "react"] },
  { name: "dashboard/api", files: "packages/dashboard/src/api/**", mayImport: ["domain", "dashboard/state", "dashboard/i18n", "dashboard/api"], packages: [...contract, "react"] },
  // each resource of the API: its queries, and what its writes change
  { name: "dashboard/resources", files: "packages/dashboard/src/resources/**", mayImport: ["domain", "dashboard/state", "dashboard/i18n", "dashboard/api", "dashboard/resources"], packages: contract },
  // parts that a server renders too: they know no form, no router and no state of the page
  { name: "dashboard/static", files: ["packages/dashboard/src/kit/{Button,FieldFrame,Icon,components}.{tsx,css}", "packages/dashboard/src/kit/PageHeader.css", "packages/dashboard/src/app/tokens.css"], mayImport: ["dashboard/static"], packages: ["react"] },
  { name: "dashboard/kit", files: "packages/dashboard/src/kit/**", mayImport: ["domain", "dashboard/state", "dashboard/i18n", "dashboard/api", "dashboard/resources", "dashboard/static", "dashboard/kit"], packages: ["effect", "effect/*", "react", "@base-ui/react/*", "react-aria-components", "@internationalized/date", "@tanstack/*"] },
  { name: "dashboard/charts", files: "packages/dashboard/src/charts/**", mayImport: ["domain", "dashboard/state", "dashboard/i18n", "dashboard/api", "dashboard/resources", "dashboard/static", "dashboard/kit", "dashboard/charts"], packages: ["effect", "effect/*", "react", "echarts/*"] },
  // a page knows no other page; what two pages share is in the kit
  { name: "dashboard/pages", files: "packages/dashboard/src/pages/<slug>/**", mayImport: ["domain", "dashboard/state", "dashboard/i18n", "dashboard/api", "dashboard/resources", "dashboard/static", "dashboard/kit", "dashboard/charts", "dashboard/pages:own"], packages: ["effect", "effect/*", "react", "@tanstack/*", "virtual:outlines"] },
  { name: "dashboard/app", files: ["packages/dashboard/src/app/**", "packages/dashboard/src/*.{ts,tsx}"], mayImport: ["domain", "dashboard"], packages: ["effect", "effect/*", "react", "react-dom/*", "@tanstack/*"] },

  // the pages for visitors: components that a server renders, without scripts, made of the dashboard's kit
  { name: "hosted-pages/build", files: "packages/hosted-pages/src/build/**", mayImport: ["dashboard/build", "hosted-pages/build"], packages: ["node:*", "vite"] },
  { name: "hosted-pages", files: "packages/hosted-pages/src/**", mayImport: ["domain", "kit/port", "dashboard/static", "dashboard/messages", "hosted-pages"], packages: ["react", "react-dom/server"] },

  // the ground: knows no slice
  { name: "platform/migrations", files: "packages/server/src/platform/sql/migrations/**", mayImport: [], packages: ["effect", "effect/sql"] },
  // they handle values of the contract: events, addresses, weather
  { name: "platform/typed", files: "packages/server/src/platform/{outbox,locations,weather}/**", mayImport: ["domain", "platform"], packages: anything },
  // what the hosted pages share on the server: their files, languages, forms, headers and answers
  { name: "platform/pages", files: "packages/server/src/platform/pages/**", mayImport: ["domain", "platform", "hosted-pages"], packages: anything },
  // connections to addresses that callers and people name
  { name: "platform/outbound", files: "packages/server/src/platform/outbound/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "platform"], packages: anything },
  // connections to devices and brokers that people name, by the clients of the kit, for adapters and for what the platform publishes
  { name: "platform/device-networks", files: "packages/server/src/platform/device-networks/**", mayImport: ["platform", "kit/port", "kit/broker"], packages: anything },
  { name: "platform", files: "packages/server/src/platform/**", mayImport: ["domain/shared", "domain/errors", "domain/words", "domain/auth", "platform"], packages: anything },

  // pure computation on readings
  { name: "energy", files: "packages/server/src/energy/**", mayImport: ["domain", "energy"], packages: computation, notNames: ["Layer", "Clock", "Random", "Context"] },

  // the port for manufacturers, and what adapters share: knows no server
  { name: "kit/port", files: "packages/adapter-kit/src/{adapterSettings,AdapterPackage,Account,AdapterError,AdapterHost,ManufacturerAdapter,Simulation}.ts", mayImport: ["domain", "kit/port"], packages: [...contract, "node:net", "node:http", "node:stream"] },
  // registers, units and payloads that several adapters decode
  { name: "kit/decoding", files: "packages/adapter-kit/src/decoding/**", mayImport: ["domain", "kit/decoding"], packages: contract, notNames: ["Layer", "Clock", "Random", "Context"] },
  // the connection to devices over Modbus TCP
  { name: "kit/modbus", files: "packages/adapter-kit/src/modbus/**", mayImport: ["domain", "kit/port", "kit/decoding", "kit/http", "kit/modbus"], packages: [...contract, "node:net"] },
  // the connection to devices on an MQTT broker
  { name: "kit/broker", files: "packages/adapter-kit/src/broker/**", mayImport: ["domain", "kit/port", "kit/decoding", "kit/http", "kit/broker"], packages: [...contract, "node:*", "mqtt"] },
  // devices that open connections to the platform
  { name: "kit/inbound", files: "packages/adapter-kit/src/inbound/**", mayImport: ["kit/port", "kit/inbound"], packages: contract },
  // calls of HTTP APIs of manufacturers and devices, and sign-in at them by OAuth 2.0
  { name: "kit/http", files: "packages/adapter-kit/src/http/**", mayImport: ["domain", "kit/port", "kit/http"], packages: [...contract, "node:*"] },
  { name: "kit/oauth", files: "packages/adapter-kit/src/oauth/**", mayImport: ["domain", "kit/port", "kit/http", "kit/oauth"], packages: [...contract, "oauth4webapi"] },
  // feeds of utilities in the format of Green Button, for the adapter and the import of files
  { name: "kit/green-button", files: "packages/adapter-kit/src/green-button/**", mayImport: ["kit/green-button"], packages: ["saxes"] },
  // the contract test, for any test runner
  { name: "kit/testing", files: "packages/adapter-kit/src/testing/**", mayImport: ["domain", "kit/port", "kit/testing"], packages: [...contract, "node:*"] },

  // manufacturers plug in
  { name: "ports", files: "packages/server/src/destinations/senders/DestinationSender.ts", mayImport: ["domain", "ports"], packages: contract },
  { name: "adapters/physics", files: "packages/adapters/<slug>/src/physics/**", mayImport: ["domain", "adapters/physics:own"], packages: computation, notNames: ["Layer", "Clock", "Random", "Context", "Effect"] },
  // one package for each manufacturer or protocol, which knows no other
  { name: "adapters", files: "packages/adapters/<slug>/src/**", mayImport: ["domain", "kit", "adapters/physics:own", "adapters:own"], packages: [...contract, "node:*", "ws", "@matter/main", "@matter/main/*", "@matter/nodejs/config"] },
  // the only files of the server that know adapters
  { name: "list", files: "packages/server/src/adapters/{builtInAdapters,templateAdapters}.ts", mayImport: ["kit", "adapters", "list"], packages: ["effect"] },

  // adapters from outside of the repository, which are loaded at the start
  { name: "outside", files: "packages/server/src/adapters/loadAdapters.ts", mayImport: ["domain", "kit/port", "platform"], packages: ["effect", "node:fs", "node:module", "node:path", "node:url"] },

  // the parts of a slice, from its Layer inwards
  { name: "slice/layer", files: "packages/server/src/<slice>/layer.ts", mayImport: ["slice/layer:earlier", "slice:own", "slice/repositories", "platform"], packages: ["effect"] },
  { name: "slice/handlers", files: "packages/server/src/<slice>/**Handlers.ts", mayImport: ["domain", "platform/http", "platform", "slice/services:own", "slice/pure:own"], packages: ["effect", "effect/http", "effect/http-api"] },
  // HTML pages, outside of the contract
  { name: "slice/pages", files: "packages/server/src/<slice>/*Pages.ts", mayImport: ["domain", "hosted-pages", "platform", "slice/services:own", "slice/pure:own"], packages: ["effect", "effect/http", "node:crypto"] },
  { name: "slice/repositories", files: "packages/server/src/<slice>/**Repository.ts", mayImport: ["domain", "platform", "energy", "slice/repositories:own", "slice/tables:own", "slice/tables:earlier", "slice/ports:own", "slice/ports:earlier", "slice/pure:own", "slice/pure:earlier", "slice/catalogue:own"], packages: noHttp },
  // SQL fragments on the tables of a slice, for its repositories and those of later slices
  { name: "slice/tables", files: "packages/server/src/<slice>/**/[a-z]*{Table,Sql}.ts", mayImport: ["domain", "platform", "slice/tables:own", "slice/tables:earlier", "slice/pure:own", "slice/pure:earlier"], packages: ["effect", "effect/sql"], notNames: ["Layer", "Clock", "Random", "Context"] },
  // SQL that a later slice provides for the statements of an earlier one
  { name: "slice/ports", files: "packages/server/src/<slice>/*Port.ts", mayImport: ["domain", "platform"], packages: ["effect", "effect/sql"], notNames: ["Layer", "Clock", "Random"] },
  { name: "slice/catalogue", files: "packages/server/src/<slice>/catalogue/**", mayImport: ["domain", "slice/catalogue:own"], packages: computation },
  // each kind of destination has a service and the functions with which it speaks to the outside
  { name: "slice/senders", files: "packages/server/src/<slice>/senders/[a-z]*.ts", mayImport: ["domain", "ports", "slice/senders", "slice/pure:own", "slice/pure:earlier", "platform"], packages: noHttp },
  { name: "slice/pure", files: "packages/server/src/<slice>/**/[a-z]*.ts", mayImport: ["domain", "hosted-pages", "energy", "platform", "slice/pure:own", "slice/pure:earlier", "slice/services:own", "ports", "kit/port"], packages: computation, notNames: ["Layer", "Clock", "Random", "Context"] },
  { name: "slice/services", files: "packages/server/src/<slice>/**", mayImport: ["domain", "hosted-pages", "energy", "platform", "ports", "kit/port", "slice/services:own", "slice/services:earlier", "slice/repositories:own", "slice/tables:own", "slice/tables:earlier", "slice/ports:own", "slice/ports:earlier", "slice/pure:own", "slice/pure:earlier", "slice/catalogue:own", "slice/senders", "list"], packages: noHttp },

  // the roof: the only place that knows all slices
  { name: "app", files: ["packages/server/src/app/**", "packages/server/src/*.ts", "packages/server/src/tools/**"], mayImport: ["domain", "app", "platform", "list", "outside", "ports", "kit/port", "slice/layer", "slice/services", "slice/tables", "slice/pure", "tools", "dashboard/built", "hosted-pages/build"], packages: anything },

  // no other room imports these
  { name: "test", files: "test/**", mayImport: ["domain", "cli", "charts", "dashboard", "hosted-pages", "platform", "energy", "ports", "kit", "adapters", "list", "slice", "app", "test", "examples"], packages: anything },
  { name: "examples", files: "examples/**", mayImport: ["examples", "domain"], packages: ["effect", "effect/*", "@effect/platform-node/*", "node:*"] }
]

/** Globals that only a few files may use, so that settings are read in one place and tests control the time. */
export interface UseRule {
  readonly name: string
  readonly uses: ReadonlyArray<string>
  readonly within: string
  readonly onlyIn: ReadonlyArray<string>
}

const ground = "packages/server/src/platform"
const mains = ["packages/server/src/{main,program}.ts", "packages/cli/src/main.ts"]

// prettier-ignore
export const useRules: ReadonlyArray<UseRule> = [
  // newDatabase passes its environment on to a child process; PostgresDatabase reports the user that the driver will use; build is a process of its own
  { name: "settings are read in one place", uses: ["process.env"], within: "packages/**", onlyIn: ["packages/server/src/platform/config/ServerConfig.ts", `${ground}/embedded/newDatabase.ts`, `${ground}/sql/PostgresDatabase.ts`, "packages/{dashboard,hosted-pages}/src/build/build.ts", ...mains] },
  // folderLock stamps a file and AccessLog a line, each with the time of the machine and outside any fiber; a page has the browser's clock
  { name: "time comes from Clock and DateTime", uses: ["Date.now", "new Date()"], within: "packages/**", onlyIn: ["packages/domain/src/shared/Cuid.ts", "packages/dashboard/src/state/now.ts", `${ground}/embedded/folderLock.ts`, "packages/server/src/platform/http/AccessLog.ts", ...mains] },
  // PgliteBridge is plain Node streams, which no fiber runs; the kit for web pages runs in the browser
  { name: "durations come from Clock", uses: ["performance.now", "process.hrtime"], within: "packages/**", onlyIn: [`${ground}/embedded/PgliteBridge.ts`, "packages/connect/src/connect.ts", ...mains] },
  { name: "a pure file gets the time as an argument", uses: ["DateTime.now", "DateTime.nowUnsafe", "Clock.currentTimeMillis"], within: "packages/server/src/<slice>/**/[a-z]*.ts", onlyIn: [] },
  // the contract test looks at the clock as a user of the adapter does
  { name: "a pure file of an adapter gets the time as an argument", uses: ["DateTime.now", "DateTime.nowUnsafe", "Clock.currentTimeMillis"], within: "packages/adapter**/src/**/[a-z]*.ts", onlyIn: ["packages/adapter-kit/src/testing/**"] },
  { name: "randomness is cryptographic", uses: ["Math.random"], within: "packages/**", onlyIn: [] },
  // initEmbedded is the main file of a process of its own
  { name: "only main ends the process", uses: ["process.exit"], within: "packages/**", onlyIn: [`${ground}/embedded/initEmbedded.ts`, ...mains] },
  { name: "output goes through Console or the log", uses: ["console.log", "console.info", "console.warn", "console.error", "console.debug"], within: "packages/**", onlyIn: mains }
]
