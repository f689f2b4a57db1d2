import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Result, Schema } from "effect"

const Claims = Schema.fromJsonString(
  Schema.Struct({
    sub: Schema.optionalKey(Schema.NonEmptyString),
    scp: Schema.optionalKey(Schema.Union([Schema.Array(Schema.String), Schema.String]))
  })
)
const decodeClaims = Schema.decodeUnknownResult(Claims)

/**
 * The claims of an access token, a JWT. The signature is not checked, since the token comes from Tesla's token endpoint and
 * Tesla checks it. Null if the token is not readable.
 */
const readClaims = (accessToken: string): typeof Claims.Type | null => {
  const payload = accessToken.split(".")[1]
  if (payload === undefined) return null
  const claims = decodeClaims(Buffer.from(payload, "base64url").toString("utf8"))
  return Result.isFailure(claims) ? null : claims.success
}

/** The scopes that the owner has granted; null if they are not known. */
export const grantedScopes = (accessToken: string): ReadonlySet<string> | null => {
  const scp = readClaims(accessToken)?.scp
  return scp === undefined ? null : new Set(typeof scp === "string" ? scp.split(" ") : scp)
}

/** Tesla's identifier of the account. */
export const accountIdentity = (accessToken: string): string | null => readClaims(accessToken)?.sub ?? null

const charging = ["vehicle_charging_cmds", "vehicle_cmds"]

/** Scopes of which one is needed. */
const scopesByCommand: Partial<Readonly<Record<CommandSlug, ReadonlyArray<string>>>> = {
  "battery:set-reserve": ["energy_cmds"],
  "battery:set-operating-mode": ["energy_cmds"],
  "vehicle:set-operating-mode": charging,
  "vehicle:set-charge-limit": charging,
  "vehicle:check-pairing-status": ["vehicle_device_data"]
}

/** The commands of Tesla's devices by type. Nothing commands a wall connector. */
export const teslaCommands = {
  battery: ["battery:set-reserve", "battery:set-operating-mode"],
  inverter: [],
  charger: [],
  vehicle: ["vehicle:set-operating-mode", "vehicle:set-charge-limit", "vehicle:check-pairing-status"]
} as const satisfies Readonly<Record<string, ReadonlyArray<CommandSlug>>>

/** Whether the scopes allow a command. Unknown scopes allow it: Tesla decides. */
export const mayCommand = (scopes: ReadonlySet<string> | null, slug: CommandSlug): boolean =>
  scopes === null || (scopesByCommand[slug] ?? []).some((scope) => scopes.has(scope))

/** Whether the scopes allow reading devices of a type. */
export const mayRead = (scopes: ReadonlySet<string> | null, type: keyof typeof teslaCommands): boolean =>
  scopes === null || scopes.has(type === "vehicle" ? "vehicle_device_data" : "energy_device_data")

/** Grants of an account's owner, and the domain whose key vehicles are paired with. */
export interface Permissions {
  /** Null: not known. */
  readonly scopes: ReadonlySet<string> | null
  readonly keyDomain: string
}
