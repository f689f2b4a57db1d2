import { Clock, Context, Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../accounts/Accounts.ts"
import { AdapterError } from "../adapters/AdapterError.ts"
import { RaisedAlerts } from "../alerts/RaisedAlerts.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import type { CommandDevice } from "./commandDevice.ts"
import { CommandIssuer, type NewCommand } from "./CommandIssuer.ts"
import { type ForcedModeRow, ForcedModesRepository } from "./ForcedModesRepository.ts"
import { restorePause } from "./handoverErrors.ts"

/** Restoring that takes longer is tried again. */
const LONGEST_CALL = "2 minutes"
/** Failed attempts after which operators are told. */
const TOLD_AFTER = 3
/** The time for the command that ends the mode of a direct device, in milliseconds. */
const RESET_EXPIRES = 24 * 3_600_000

/** A mode that ends now: its time has come, or its command failed after the settings were stored. */
export const isEnding = ({ phase, dueAt }: ForcedModeRow, now: number): boolean =>
  (phase === "holding" || phase === "ending") && dueAt.getTime() <= now

/** The charging that was before a forced start or stop; the manufacturer of a battery restores it by itself. */
const previousMode = ({ mode, snapshot }: ForcedModeRow, { type }: CommandDevice) => {
  if (type === "battery") return "reset"
  const known = (snapshot as { readonly operatingMode?: string } | null)?.operatingMode
  if (known !== undefined) return known
  return mode === "start-charging" ? "stop-charging" : "start-charging"
}

/** Ends forced modes: restores the settings from before, for as long as it takes. */
export class ForcedModes extends Context.Service<
  ForcedModes,
  {
    readonly end: (mode: ForcedModeRow, device: CommandDevice) => Effect.Effect<{ readonly elsewhere: boolean }>
  }
>()("@edp/server/ForcedModes") {
  static readonly layer = Layer.effect(
    ForcedModes,
    Effect.gen(function* () {
      const repository = yield* ForcedModesRepository
      const accounts = yield* Accounts
      const issuer = yield* CommandIssuer
      const alerts = yield* RaisedAlerts
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const ended = (deviceId: string, now: number) => repository.end([deviceId], new Date(now))

      const alertKey = ({ id }: CommandDevice) => `forced-mode ${id}`

      const tell = (device: CommandDevice, mode: ForcedModeRow, error: AdapterError) =>
        device.workspaceId === null
          ? Effect.void
          : Effect.asVoid(
              alerts.raise([
                {
                  workspaceId: device.workspaceId,
                  sourceSystem: device.manufacturer,
                  externalId: alertKey(device),
                  type: "CONFIGURATION",
                  severity: "WARNING",
                  title: "The settings from before a forced mode could not be restored yet",
                  description: `The mode ${mode.mode} should have ended at ${mode.until.toISOString()}. The platform goes on trying. ${error.message}`,
                  deviceId: device.id
                }
              ])
            )

      /** A direct device's manufacturer ends the mode by a command, which is followed like any other. */
      const endByCommand = Effect.fnUntraced(function* (mode: ForcedModeRow, device: CommandDevice, now: number) {
        const reset: NewCommand = {
          workspaceId: device.workspaceId!,
          deviceId: device.id,
          type: `${device.type}:set-operating-mode` as NewCommand["type"],
          input: { operatingMode: previousMode(mode, device) },
          source: mode.source,
          sourceId: null,
          batchId: null,
          scheduledFor: null,
          notBefore: null,
          expiresAt: new Date(now + RESET_EXPIRES),
          revertAfter: null
        }
        yield* transaction(Effect.andThen(ended(device.id, now), issuer.issue([reset])))
      })

      return {
        end: Effect.fn("ForcedModes.end")(function* (mode, device) {
          const now = yield* Clock.currentTimeMillis
          const isGone = device.workspaceId === null || device.disconnectedAt !== null
          if (device.direct && !isGone) {
            yield* endByCommand(mode, device, now)
            return { elsewhere: false }
          }
          const { accountId } = device
          // Nobody has a permission to change the device any more.
          if (isGone || accountId === null) {
            yield* ended(device.id, now)
            return { elsewhere: false }
          }
          // After a crash the restoring goes on, whoever looks at the mode.
          yield* repository.retry(device.id, new Date(now), mode.attempts)
          const { id, manufacturerDeviceId, type } = device
          return yield* accounts
            .withAccount(accountId, (account, { restore }) =>
              restore === undefined || mode.snapshot === null
                ? Effect.void
                : restore(account, { id, manufacturerDeviceId, type }, mode.snapshot)
            )
            .pipe(
              Effect.timeoutOrElse({
                duration: LONGEST_CALL,
                orElse: () => Effect.fail(AdapterError.of("unreachable", "The adapter took too long"))
              }),
              Effect.matchEffect({
                onSuccess: Effect.fnUntraced(function* () {
                  yield* ended(device.id, yield* Clock.currentTimeMillis)
                  if (mode.attempts >= TOLD_AFTER) {
                    yield* alerts.settleNamed(
                      {
                        workspaceId: device.workspaceId!,
                        sourceSystem: device.manufacturer,
                        externalIds: [alertKey(device)]
                      },
                      "platform"
                    )
                  }
                  yield* accounts.readSoon(accountId, 2)
                  return { elsewhere: false }
                }),
                onFailure: Effect.fnUntraced(function* (error) {
                  if (error.failure === "elsewhere") return { elsewhere: true }
                  const at = yield* Clock.currentTimeMillis
                  const asked = error.retryAt === null ? undefined : error.retryAt - at
                  const pause = restorePause(mode.attempts + 1, yield* Random.next, asked)
                  yield* repository.retry(device.id, new Date(at + pause), mode.attempts + 1)
                  yield* Effect.logWarning(
                    `The settings of the device ${device.id} were not restored: ${error.message}`
                  )
                  if (mode.attempts + 1 === TOLD_AFTER) yield* tell(device, mode, error)
                  return { elsewhere: false }
                })
              })
            )
        })
      }
    })
  )
}
