import { readFileSync, statSync } from "node:fs"
import { BlockList } from "node:net"
import { isWellFormedKey, parseKeyType } from "@edp/domain/auth/keyFormat"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Config, ConfigProvider, Context, Effect, Layer, Option, Redacted } from "effect"
import {
  MQTT_URL_TAKES,
  SMTP_URL_TAKES,
  mailbox,
  mqttBroker,
  parseEncryptionKey,
  smsSender,
  smtpRelay
} from "./parsers.ts"
import { requireSettings } from "./requireSettings.ts"
import { proxyList } from "../network/clientAddress.ts"
import { type DeviceNetworks, parseDeviceNetworks } from "../network/deviceNetworks.ts"
import { ownSlot } from "../processes/ownSlot.ts"
import { parseProcesses } from "../processes/slots.ts"
import { type Origins, parseOrigins } from "../network/origins.ts"
import { StartError } from "../StartError.ts"

const optionalText = (name: string) =>
  Effect.map(Effect.orDie(Config.option(Config.String(name))), (text) =>
    Option.filter(
      Option.map(text, (each) => each.trim()),
      (each) => each !== ""
    )
  )

/** A variable, or the content of the file that `<name>_FILE` names, which is how containers pass secrets. */
const settingText = Effect.fnUntraced(function* (name: string) {
  const text = yield* optionalText(name)
  const file = yield* optionalText(`${name}_FILE`)
  if (Option.isNone(file)) return text
  if (Option.isSome(text)) return yield* new StartError({ message: `${name} and ${name}_FILE must not both be set` })
  return yield* Effect.try({
    try: () => Option.some(readFileSync(file.value, "utf8").trim()),
    catch: () => new StartError({ message: `${name}_FILE must be a file that the server may read` })
  })
})

/** Reads one variable. An invalid value ends the start with one line that names the variable and its format. */
const setting = <A>(name: string, takes: string, parse: (text: string) => A | undefined) =>
  Effect.gen(function* () {
    const text = yield* settingText(name)
    if (Option.isNone(text)) return Option.none<A>()
    const value = parse(text.value)
    if (value === undefined) return yield* new StartError({ message: `${name} must be ${takes}` })
    return Option.some(value)
  })

const withDefault =
  <A>(fallback: A) =>
  <E, R>(self: Effect.Effect<Option.Option<A>, E, R>) =>
    Effect.map(
      self,
      Option.getOrElse(() => fallback)
    )

const integer = (minimum: number, maximum: number) => (text: string) => {
  const value = Number(text)
  return Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined
}

const oneOf =
  <const Literals extends ReadonlyArray<string>>(literals: Literals) =>
  (text: string): Literals[number] | undefined =>
    literals.find((candidate) => candidate === text)

const url = (protocols: ReadonlyArray<string>) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined

const port = integer(1, 65_535)
const perMinute = integer(1, 1_000_000)
const HTTP = ["http:", "https:"]

const days = (text: string) => {
  const match = /^(\d{1,5}) ?days?$/.exec(text)
  return match === null || Number(match[1]) < 1 ? undefined : Number(match[1])
}

const daysFrom = (least: number) => (text: string) => {
  const count = days(text)
  return count === undefined || count < least ? undefined : count
}

/** Rollups need the readings of the last hours, and devices may report late. */
const weekOrMore = daysFrom(7)

const CLICKHOUSE_TABLES = "single, or replicated:CLUSTER or sharded:CLUSTER with the name of a ClickHouse cluster"

/** How the archive's tables are laid out, with the cluster unless it is a single node. */
const archiveTables = (text: string) => {
  if (text === "single") return { layout: "single" as const }
  const match = /^(replicated|sharded):([A-Za-z0-9_-]{1,100})$/u.exec(text)
  return match === null ? undefined : { layout: match[1] as "replicated" | "sharded", cluster: match[2]! }
}

const units = { second: 1, minute: 60, hour: 3600, day: 86_400 } as const

/** A duration such as `24 hours`, in seconds. */
const duration = (minimum: number, maximum: number) => (text: string) => {
  const match = /^(\d{1,6}) ?(second|minute|hour|day)s?$/.exec(text)
  const seconds = match === null ? Number.NaN : Number(match[1]) * units[match[2] as keyof typeof units]
  return seconds >= minimum && seconds <= maximum ? seconds : undefined
}

const POSTGRES_ADDRESS = "an address such as postgres://user:password@host:5432/database"

const postgresUrl = (text: string) =>
  Option.getOrUndefined(Option.map(Option.fromNullishOr(url(["postgres:", "postgresql:"])(text)), Redacted.make))

const managementKey = (text: string) =>
  isWellFormedKey(text) && parseKeyType(text) === "MANAGEMENT" ? Redacted.make(text) : undefined

const ENCRYPTION_KEY = "32 bytes in base64, as `openssl rand -base64 32` prints them"

const encryptionKey = (text: string) => {
  const key = parseEncryptionKey(text)
  return key === undefined ? undefined : Redacted.make<Uint8Array>(key, { label: "encryption key" })
}

const folder = (text: string) => (statSync(text, { throwIfNoEntry: false })?.isDirectory() === true ? text : undefined)

const proxies = (text: string) => proxyList(text.split(",").map((part) => part.trim()))

/** The variable of an adapter's field, such as EDP_TESLA_CLIENT_ID for `clientId`. */
export const adapterVariable = (slug: string, field: string) =>
  `EDP_${slug}_${field.replace(/([a-z0-9])([A-Z])/gu, "$1_$2")}`.replaceAll("-", "_").toUpperCase()

const read = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const listen = yield* setting("PORT", "a port from 1 to 65535", port).pipe(withDefault(3000))
  const host = yield* setting("EDP_HOST", "an address to listen on", (text) => text).pipe(withDefault("127.0.0.1"))
  /** A name such as localhost would be another origin in browsers, and may lead to another service that listens on ::1. */
  const baseUrl = `http://${["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${listen}`
  return {
    port: listen,
    host,
    /** The service's address on this machine. */
    baseUrl,
    dataDir: yield* setting("EDP_DATA_DIR", "a folder", (text) => text).pipe(withDefault(".edp")),
    databaseUrl: yield* setting("DATABASE_URL", POSTGRES_ADDRESS, postgresUrl),
    databaseReadUrl: yield* setting("DATABASE_READ_URL", POSTGRES_ADDRESS, postgresUrl),
    readLagSeconds: yield* setting(
      "EDP_READ_LAG",
      "a duration from `1 second` to `10 minutes`",
      duration(units.second, 10 * units.minute)
    ).pipe(withDefault<number>(5 * units.second)),
    databasePool: yield* setting("EDP_DATABASE_POOL", "a number of connections from 2 to 100", integer(2, 100)).pipe(
      withDefault(ownSlot === undefined ? 10 : 5)
    ),
    redisUrl: yield* setting("REDIS_URL", "an address such as redis://host:6379", (text) =>
      Option.getOrUndefined(Option.map(Option.fromNullishOr(url(["redis:", "rediss:"])(text)), Redacted.make))
    ),
    bootstrapManagementKey: yield* setting(
      "EDP_BOOTSTRAP_MANAGEMENT_KEY",
      "a management key as `edp keys generate` prints it",
      managementKey
    ),
    encryptionKey: yield* setting("EDP_ENCRYPTION_KEY", ENCRYPTION_KEY, encryptionKey),
    previousEncryptionKey: yield* setting("EDP_ENCRYPTION_KEY_PREVIOUS", ENCRYPTION_KEY, encryptionKey),
    allowPrivateDestinations: yield* setting(
      "EDP_ALLOW_PRIVATE_DESTINATIONS",
      "true or false",
      oneOf(["true", "false"] as const)
    ),
    destinationsPerWorkspace: yield* setting(
      "EDP_DESTINATIONS_PER_WORKSPACE",
      "a number of destinations from 1 to 10000",
      integer(1, 10_000)
    ).pipe(withDefault(100)),
    emailHourly: yield* setting("EDP_EMAIL_HOURLY", "messages an hour from 1 to 1000000", perMinute).pipe(
      withDefault(100)
    ),
    smsHourly: yield* setting("EDP_SMS_HOURLY", "messages an hour from 1 to 1000000", perMinute).pipe(withDefault(20)),
    rateLimits: {
      read: yield* setting("EDP_RATE_LIMIT_READ", "requests a minute from 1 to 1000000", perMinute).pipe(
        withDefault(300)
      ),
      write: yield* setting("EDP_RATE_LIMIT_WRITE", "requests a minute from 1 to 1000000", perMinute).pipe(
        withDefault(60)
      ),
      bulk: yield* setting("EDP_RATE_LIMIT_BULK", "requests a minute from 1 to 1000000", perMinute).pipe(
        withDefault(100)
      )
    },
    authFailuresPerMinute: yield* setting(
      "EDP_RATE_LIMIT_AUTH_FAILURES",
      "failed authentications a minute from 1 to 1000000",
      perMinute
    ).pipe(withDefault(600)),
    unreadResponsesMiB: yield* setting(
      "EDP_UNREAD_ANSWERS",
      "mebibytes of memory from 16 to 65536",
      integer(16, 65_536)
    ).pipe(withDefault(128)),
    unreadTimeoutSeconds: yield* setting(
      "EDP_UNREAD_TIMEOUT",
      "a number of seconds from 1 to 3600",
      integer(1, 3600)
    ).pipe(withDefault(30)),
    trustedProxies: yield* setting(
      "EDP_TRUSTED_PROXIES",
      "a comma list of addresses or networks such as 10.0.0.0/8",
      proxies
    ).pipe(withDefault(new BlockList())),
    corsOrigins: yield* setting(
      "EDP_CORS_ORIGINS",
      "* or a comma list of origins such as https://app.example.com",
      parseOrigins
    ).pipe(withDefault<Origins>("*")),
    metricsPort: yield* setting("EDP_METRICS_PORT", "a port from 1 to 65535", port),
    sharedCatalogueWrites: yield* setting(
      "EDP_SHARED_CATALOGUE_WRITES",
      "first, any, none, or the id of an organization",
      (text) => (["first", "any", "none"].includes(text) || isCuid(text) ? text : undefined)
    ).pipe(withDefault("first")),
    telemetryRetentionDays: yield* setting(
      "EDP_TELEMETRY_RETENTION",
      "a number of days such as `730 days`, 7 at least",
      weekOrMore
    ),
    clickHouseUrl: yield* setting(
      "EDP_CLICKHOUSE_URL",
      "an address such as https://user:password@host:8443/database",
      (text) => Option.getOrUndefined(Option.map(Option.fromNullishOr(url(HTTP)(text)), Redacted.make))
    ),
    clickHouseTables: yield* setting("EDP_CLICKHOUSE_TABLES", CLICKHOUSE_TABLES, archiveTables).pipe(
      withDefault<NonNullable<ReturnType<typeof archiveTables>>>({ layout: "single" })
    ),
    hotDays: yield* setting("EDP_HOT_DAYS", "a number of days such as `35 days`, 7 at least", (text) =>
      weekOrMore(/^\d+$/u.test(text) ? `${text} days` : text)
    ).pipe(withDefault(35)),
    auditRetentionDays: yield* setting(
      "EDP_AUDIT_RETENTION",
      "a number of days such as `730 days`, 365 at least",
      daysFrom(365)
    ),
    publicUrl: yield* setting("EDP_PUBLIC_URL", "an http or https address", url(HTTP)).pipe(withDefault(baseUrl)),
    connectSessionSeconds: yield* setting(
      "EDP_CONNECT_SESSION_TTL",
      "a duration from `1 minute` to `30 days`",
      duration(units.minute, 30 * units.day)
    ).pipe(withDefault<number>(units.day)),
    deviceResponseSeconds: yield* setting(
      "EDP_DEVICE_RESPONSE_TIME",
      "a duration from `1 second` to `25 seconds`",
      duration(units.second, 25 * units.second)
    ).pipe(withDefault<number>(15 * units.second)),
    scopedKeySeconds: yield* setting(
      "EDP_SCOPED_KEY_TTL",
      "a duration from `1 minute` to `3650 days`",
      duration(units.minute, 3650 * units.day)
    ),
    commandTimeoutSeconds: yield* setting(
      "EDP_COMMAND_TIMEOUT",
      "a duration from `1 minute` to `24 hours`",
      duration(units.minute, units.day)
    ).pipe(withDefault(15 * units.minute)),
    commandWritesPerHour: yield* setting(
      "EDP_COMMAND_WRITES_PER_HOUR",
      "an integer from 1 to 3600",
      integer(1, 3600)
    ).pipe(withDefault(12)),
    geocoder: yield* setting("GEOCODER", "offline, census, or the http address of a Nominatim server", (text) =>
      text === "offline" || text === "census" ? text : url(HTTP)(text)
    ).pipe(withDefault("offline")),
    weatherUrl: yield* setting("WEATHER_URL", "the http or https address of a server with Open-Meteo's API", (text) =>
      Option.getOrUndefined(Option.map(Option.fromNullishOr(url(HTTP)(text)), Redacted.make))
    ),
    smtpRelay: yield* setting("SMTP_URL", SMTP_URL_TAKES, smtpRelay),
    smtpFrom: yield* setting("SMTP_FROM", "an address such as `Energy Platform <alerts@example.com>`", mailbox),
    smsApiUrl: yield* setting("SMS_API_URL", "an http or https address such as https://api.twilio.com", url(HTTP)),
    smsAccount: yield* setting("SMS_ACCOUNT", "the id of an account, such as AC and 32 hexadecimal digits", (text) =>
      /^[A-Za-z0-9_-]{1,100}$/u.test(text) ? text : undefined
    ),
    smsToken: yield* setting("SMS_TOKEN", "the account's token", (text) => Redacted.make(text, { label: "SMS token" })),
    smsFrom: yield* setting(
      "SMS_FROM",
      "a number in E.164, a short code, a sender's name, or the id of a messaging service",
      smsSender
    ),
    openAdrReportRetentionDays: yield* setting(
      "EDP_OPENADR_REPORT_RETENTION",
      "a number of days such as `730 days`, 31 at least",
      daysFrom(31)
    ),
    openAdrBroker: yield* setting("EDP_OPENADR_MQTT_URL", MQTT_URL_TAKES, mqttBroker),
    openAdrBrokerPublicUrl: yield* setting(
      "EDP_OPENADR_MQTT_PUBLIC_URL",
      "an address without a login, such as mqtts://broker.example.com:8883",
      (text) => {
        const broker = mqttBroker(text)
        return broker === undefined || broker.login !== undefined ? undefined : broker.url
      }
    ),
    openAdrBrokerAuthentication: yield* setting(
      "EDP_OPENADR_MQTT_AUTHENTICATION",
      "token or anonymous",
      oneOf(["token", "anonymous"] as const)
    ).pipe(withDefault<"token" | "anonymous">("token")),
    otlpEndpoint: yield* setting("OTEL_EXPORTER_OTLP_ENDPOINT", "an http or https address", url(HTTP)),
    traceRatio: yield* setting("OTEL_TRACES_SAMPLER_ARG", "the share of requests to trace, from 0 to 1", (text) =>
      Number(text) >= 0 && Number(text) <= 1 ? Number(text) : undefined
    ).pipe(withDefault(0.1)),
    logFormat: yield* setting("EDP_LOG", "pretty or json", oneOf(["pretty", "json"] as const)).pipe(
      withDefault(process.stdout.isTTY ? ("pretty" as const) : ("json" as const))
    ),
    logLevel: yield* setting("EDP_LOG_LEVEL", "info or debug", oneOf(["info", "debug"] as const)).pipe(
      withDefault<"info" | "debug">("info")
    ),
    deviceNetworks: yield* setting<DeviceNetworks>(
      "EDP_DEVICE_NETWORKS",
      "a comma list of `private`, `public` and networks such as 10.0.0.0/8",
      parseDeviceNetworks
    ),
    adapters: yield* setting("EDP_ADAPTERS", "a comma list of packages and folders", (text) => {
      const entries = text.split(",").map((entry) => entry.trim())
      return entries.includes("") ? undefined : entries
    }).pipe(withDefault<ReadonlyArray<string>>([])),
    templatesDir: yield* setting("EDP_TEMPLATES_DIR", "a folder", folder),
    /** Whether the simulated manufacturer can be connected. */
    simulator: yield* setting("EDP_SIMULATOR", "true or false", oneOf(["true", "false"] as const)).pipe(
      withDefault<"true" | "false">("true"),
      Effect.map((text) => text === "true")
    ),
    /** The text of an adapter's setting. The registry of adapters reads and checks it. */
    adapterSetting: (slug: string, field: string) =>
      Effect.provideService(settingText(adapterVariable(slug, field)), ConfigProvider.ConfigProvider, provider),
    processes: yield* setting("EDP_PROCESSES", "a number of processes from 1 to 64, or auto", parseProcesses).pipe(
      withDefault<number | "auto">(1)
    ),
    role: yield* setting("EDP_ROLE", "all, api or worker", oneOf(["all", "api", "worker"] as const)).pipe(
      withDefault<"all" | "api" | "worker">("all")
    )
  }
})

/** Every setting of the server, with a default that runs on a laptop with nothing else installed. */
export class ServerConfig extends Context.Service<ServerConfig, Effect.Success<typeof read>>()(
  "@edp/server/platform/config/ServerConfig"
) {
  static readonly layer = Layer.effect(ServerConfig, Effect.tap(read, requireSettings))
}
