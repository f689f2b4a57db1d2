import { type InterventionCode, interventionCodes } from "@edp/domain/devices/Intervention"
import { Clock, Effect, Option, Schema } from "effect"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"

const Entry = Schema.Struct({
  /** Milliseconds since 1970: the newest command. */
  at: Schema.Finite,
  /** The obstacle that it met; null if Tesla took it. */
  obstacle: Schema.NullOr(Schema.Literals(interventionCodes))
})
export type CommandLogEntry = typeof Entry.Type
const decode = Schema.decodeUnknownOption(Entry)

/** Milliseconds in which Tesla may show settings from before a command. */
const SETTLING = 30_000
/** More than an account has of sites and vehicles. */
const MOST = 200

/**
 * The newest command of each site and vehicle, shared by all instances: the next readings look sooner at what a command
 * changes, and an obstacle that only commands meet stays visible until a command succeeds.
 */
export interface CommandLog {
  readonly note: (accountId: string, subject: string, obstacle: InterventionCode | null) => Effect.Effect<void>
  /** Whether Tesla may still show settings from before the newest command. */
  readonly isSettling: (accountId: string, subject: string) => Effect.Effect<boolean>
  /** By site id or VIN. */
  readonly read: (accountId: string) => Effect.Effect<ReadonlyMap<string, CommandLogEntry>>
}

export const makeCommandLog = ({ records }: AdapterHost): CommandLog => {
  const prefix = (accountId: string) => `commands/${accountId}/`
  return {
    note: Effect.fnUntraced(function* (accountId, subject, obstacle) {
      const key = `${prefix(accountId)}${subject}`
      const at = yield* Clock.currentTimeMillis
      const known = yield* records.get(key)
      // Another command came between: its entry is as new.
      yield* records.put(key, known?.version ?? 0, { at, obstacle })
    }),
    isSettling: Effect.fnUntraced(function* (accountId, subject) {
      const found = yield* records.get(`${prefix(accountId)}${subject}`)
      const newest = Option.getOrUndefined(decode(found?.value))
      return newest?.obstacle === null && (yield* Clock.currentTimeMillis) - newest.at < SETTLING
    }),
    read: (accountId) =>
      Effect.map(
        records.list(prefix(accountId), MOST),
        (found) =>
          new Map(
            found.flatMap(({ key, value }) =>
              Option.match(decode(value), {
                onNone: () => [],
                onSome: (entry) => [[key.slice(prefix(accountId).length), entry] as const]
              })
            )
          )
      )
  }
}
