import { type Credentials, credentialsPath } from "./firstKeys.ts"
import type { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { Option } from "effect"

type Config = ServerConfig["Service"]

const durability = (config: Config) =>
  Option.isSome(config.databaseUrl)
    ? []
    : [
        `Embedded database in ${config.dataDir}: survives a crash of the service, but not a power cut. For production set DATABASE_URL.`
      ]

/** A link signs a browser in, so it goes to a terminal only; a log has the plain address. Sessions hold at the public one. */
export const dashboardLine = (config: Config, link: string | undefined) =>
  `Dashboard  ${link ?? `${config.publicUrl.replace(/\/+$/u, "")}/`}`

/** Printed to a terminal after the first start, the only time that keys are shown. */
export const firstStart = (config: Config, credentials: Credentials, link: string | undefined) =>
  [
    "",
    "  The Energy Device Platform is running.",
    "",
    `  API        ${config.baseUrl}/v1`,
    `  Reference  ${config.baseUrl}/v1/docs`,
    `  ${dashboardLine(config, link)}`,
    "",
    "  Your keys, shown only once:",
    "",
    `  SERVER        ${credentials.serverKey}`,
    `  MANUFACTURER  ${credentials.manufacturerKey}`,
    `  MANAGEMENT    ${credentials.managementKey}`,
    "",
    `  They are stored in ${credentialsPath(config.dataDir)}, where the CLI finds them.`,
    "",
    "  Try it:",
    "",
    `  curl -H 'Service-Api-Key: ${credentials.serverKey}' '${config.baseUrl}/v1/manufacturers?perPage=3'`,
    "",
    ...durability(config).map((line) => `  ${line}`),
    ""
  ].join("\n")

/** The lines of a later start, which shows no secrets. */
export const laterStart = (config: Config): ReadonlyArray<string> => [
  `The Energy Device Platform is running at ${config.baseUrl}/v1 (reference: ${config.baseUrl}/v1/docs)`,
  ...durability(config)
]

/** The lines of a first start whose output goes to a log: they name the file with the keys. */
export const firstStartLogged = (config: Config): ReadonlyArray<string> => [
  ...laterStart(config),
  `The first keys are in ${credentialsPath(config.dataDir)}`
]
