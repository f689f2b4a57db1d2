import { type InterventionCode, interventionCodes } from "@edp/domain/devices/Intervention"
import { Clock, Effect, Option, Schema } from "effect"
import type { AdapterHost } from "../AdapterHost.ts"

const Entry = Schema.Struct({
  /** Milliseconds since 1970: the newest command. */
  at: Schema.Finite,
  /** The obstacle that it met; null if Tesla took it. */
  obstacle: Schema.NullOr(Schema.Literals(interventionCodes))
})
export type CommandLogEntry = typeof Entry.Type
const decode = Schema.decodeUnknownOption(Entry)

/** More than an account has of sites and vehicles. */
const MOST = 200

/**
 * The newest command of each site and vehicle, shared by all instances: the next readings look sooner at what a command
 * changes, and an obstacle that only commands meet stays visible until a command succeeds.
 */
export interface CommandLog {
  readonly note: (accountId: string, subject: string, obstacle: InterventionCode | null) => Effect.Effect<void>
  readonly find: (accountId: string, subject: string) => Effect.Effect<CommandLogEntry | undefined>
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
    find: (accountId, subject) =>
      Effect.map(records.get(`${prefix(accountId)}${subject}`), (found) => Option.getOrUndefined(decode(found?.value))),
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
