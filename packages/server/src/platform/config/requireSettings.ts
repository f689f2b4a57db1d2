import { Effect, Option, type Redacted } from "effect"
import type { DeviceNetworks } from "../network/deviceNetworks.ts"
import { refusedHost } from "../network/publicAddress.ts"
import { StartError } from "../StartError.ts"
import type { SmsSender, SmtpRelay } from "./parsers.ts"

interface Settings {
  readonly role: "all" | "api" | "worker"
  readonly processes: number | "auto"
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  readonly databaseReadUrl: Option.Option<Redacted.Redacted>
  readonly allowPrivateDestinations: Option.Option<"true" | "false">
  readonly smtpRelay: Option.Option<SmtpRelay>
  readonly smtpFrom: Option.Option<unknown>
  readonly smsApiUrl: Option.Option<string>
  readonly smsAccount: Option.Option<string>
  readonly smsToken: Option.Option<Redacted.Redacted>
  readonly smsFrom: Option.Option<SmsSender>
}

/** Whether the platform may call private addresses; by default only on the embedded database, where it is tried out. */
export const allowsPrivate = ({
  allowPrivateDestinations,
  databaseUrl
}: Pick<Settings, "allowPrivateDestinations" | "databaseUrl">) =>
  Option.match(allowPrivateDestinations, {
    onNone: () => Option.isNone(databaseUrl),
    onSome: (word) => word === "true"
  })

/** The networks of hosts that end users name; on the embedded database also in private networks and on this machine. */
export const deviceNetworks = ({
  databaseUrl,
  deviceNetworks: given
}: {
  readonly databaseUrl: Option.Option<unknown>
  readonly deviceNetworks: Option.Option<DeviceNetworks>
}): DeviceNetworks => {
  const isEmbedded = Option.isNone(databaseUrl)
  const { ranges, words } = Option.getOrElse(given, (): DeviceNetworks => ({
    words: new Set(isEmbedded ? ["private", "public"] : ["public"]),
    ranges: []
  }))
  return { ranges, words: isEmbedded && words.has("private") ? new Set([...words, "loopback"]) : words }
}

const UNLESS = "unless EDP_ALLOW_PRIVATE_DESTINATIONS is true"

const wrongSms = (settings: Settings): string | undefined => {
  const parts = [
    ["SMS_API_URL", settings.smsApiUrl],
    ["SMS_ACCOUNT", settings.smsAccount],
    ["SMS_TOKEN", settings.smsToken],
    ["SMS_FROM", settings.smsFrom]
  ] as const
  const missing = parts.filter(([, value]) => Option.isNone<unknown>(value)).map(([name]) => name)
  if (missing.length === parts.length) return undefined
  if (missing.length > 0) return `${missing.join(" and ")} must be set, too: text messages need all of SMS_*`
  const { hostname, protocol } = new URL(Option.getOrThrow(settings.smsApiUrl))
  if (allowsPrivate(settings)) return undefined
  if (protocol !== "https:") return `SMS_API_URL must be an https address, ${UNLESS}`
  return refusedHost(hostname) === undefined ? undefined : `SMS_API_URL must lead to a public host, ${UNLESS}`
}

const wrongSmtp = (settings: Settings): string | undefined => {
  if (Option.isNone(settings.smtpRelay)) {
    return Option.isSome(settings.smtpFrom) ? "SMTP_URL must be set, too: SMTP_FROM alone sends no mails" : undefined
  }
  if (allowsPrivate(settings) || refusedHost(settings.smtpRelay.value.host) === undefined) return undefined
  return `SMTP_URL must lead to a public host, ${UNLESS}`
}

const wrongOnEmbedded = ({ databaseReadUrl, databaseUrl, processes, role }: Settings): string | undefined => {
  if (Option.isSome(databaseUrl)) return undefined
  if (Option.isSome(databaseReadUrl))
    return "DATABASE_READ_URL needs DATABASE_URL: the embedded database has no replica"
  if (role !== "all") return "EDP_ROLE must be all on the embedded database"
  return processes === 1 || processes === "auto"
    ? undefined
    : "EDP_PROCESSES must be 1 or auto on the embedded database, which one process opens: set DATABASE_URL"
}

/** Checks settings that depend on each other. Fails with one line that names the conflict. */
export const requireSettings = (settings: Settings): Effect.Effect<void, StartError> => {
  const wrong = wrongOnEmbedded(settings) ?? wrongSmtp(settings) ?? wrongSms(settings)
  return wrong === undefined ? Effect.void : Effect.fail(new StartError({ message: wrong }))
}
