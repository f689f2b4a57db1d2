import { Clock, Effect, Random } from "effect"
import { Accounts } from "../../accounts/Accounts.ts"
import { AdapterError, isAdapterError } from "@edp/adapter-kit/AdapterError"
import { RaisedAlerts } from "../../alerts/RaisedAlerts.ts"
import { batchedLookup } from "../../platform/batching/batched.ts"
import { commandLimits } from "../commandLimits.ts"
import type { CommandDevice } from "../commandRow.ts"
import type { NewCommand } from "../issuing/CommandIssuer.ts"
import { CommandsRepository } from "../CommandsRepository.ts"
import { type HeldDevice, HeldDevices } from "../handover/HeldDevices.ts"
import type { ForcedModeRow } from "../ForcedModesRepository.ts"
import { localManufacturers, restorePause } from "../handover/handoverRules.ts"

/** The time for the command that ends the mode of a direct device, in milliseconds. */
const RESET_EXPIRES = 24 * 3_600_000

const kept = { elsewhere: null, isReleased: false }

/** A mode that ends now: its time has come, or its command failed after the settings were stored. */
export const isEnding = ({ phase, dueAt }: ForcedModeRow, now: number): boolean =>
  (phase === "holding" || phase === "ending") && dueAt !== null && dueAt.getTime() <= now

/** The charging that was before a forced start or stop; the manufacturer of a battery restores it by itself. */
const previousMode = ({ mode, snapshot }: ForcedModeRow, { type }: CommandDevice) => {
  if (type === "battery") return "reset"
  const known = (snapshot as { readonly operatingMode?: string } | null)?.operatingMode
  if (known !== undefined) return known
  return mode === "start-charging" ? "stop-charging" : "start-charging"
}

/** Ends forced modes: restores the settings from before, for as long as it takes. */
export const ForcedModes = Effect.gen(function* () {
  const commands = yield* CommandsRepository
  const accounts = yield* Accounts
  const alerts = yield* RaisedAlerts
  const heldDevices = yield* HeldDevices
  const takenSince = yield* batchedLookup(commands.takenSince, ({ deviceId }) => deviceId)
  const local = localManufacturers(yield* accounts.manufacturers)

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
  const endByCommand = Effect.fnUntraced(function* (
    mode: ForcedModeRow,
    device: CommandDevice,
    held: HeldDevice,
    now: number
  ) {
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
    yield* heldDevices.record(held, { isRestored: true, reset })
  })

  return {
    /** Restores the settings of a device. The record of that ends the claim where nothing else is left to do with it. */
    end: Effect.fn("ForcedModes.end")(function* (
      mode: ForcedModeRow,
      device: CommandDevice,
      held: HeldDevice,
      isLast: boolean
    ) {
      const now = yield* Clock.currentTimeMillis
      const isGone = device.workspaceId === null || device.disconnectedAt !== null
      if (device.direct && !isGone) {
        yield* endByCommand(mode, device, held, now)
        return kept
      }
      const { accountId } = device
      // Nobody has a permission to change the device any more.
      if (isGone || accountId === null) {
        yield* heldDevices.record(held, { isRestored: true })
        return kept
      }
      // After a crash the restoring goes on, whoever handles the mode.
      const restoring = { deviceId: device.id, dueAt: new Date(now), attempts: mode.attempts }
      yield* heldDevices.record(held, { restoring })
      const { id, manufacturerDeviceId, type } = device
      const { snapshot } = mode
      const restored = {
        device: { id, manufacturerDeviceId, type },
        snapshot,
        takenSince: (yield* takenSince({ deviceId: id, since: mode.beganAt })) ?? []
      }
      const call = accounts
        .withAccount(
          accountId,
          (account, { restore }) =>
            restore === undefined || snapshot === null ? Effect.void : restore(account, restored),
          held
        )
        .pipe(
          Effect.timeoutOrElse({
            duration: `${commandLimits.callSeconds} seconds`,
            orElse: () => Effect.fail(AdapterError.of("unreachable", "The adapter took too long"))
          })
        )
      return yield* heldDevices.call(device.manufacturer, call).pipe(
        Effect.matchEffect({
          onSuccess: Effect.fnUntraced(function* () {
            yield* heldDevices.record(held, {
              isRestored: true,
              ...(isLast && { released: { avoided: false, leftTo: null } })
            })
            if (mode.attempts >= commandLimits.restoreAlertAttempts) {
              yield* alerts.settleNamed(
                {
                  workspaceId: device.workspaceId!,
                  sourceSystem: device.manufacturer,
                  externalIds: [alertKey(device)]
                },
                "platform"
              )
            }
            yield* accounts.scheduleRead(accountId, commandLimits.firstReadingSeconds)
            return { elsewhere: null, isReleased: isLast }
          }),
          onFailure: Effect.fnUntraced(function* (error) {
            if (!isAdapterError(error)) return yield* error
            if (error.failure === "elsewhere") return { elsewhere: { holder: error.holder }, isReleased: false }
            const at = yield* Clock.currentTimeMillis
            const asked = error.retryAt === null ? undefined : error.retryAt - at
            const isLocal = local.has(device.manufacturer)
            const pause = restorePause(mode.attempts + 1, yield* Random.next, isLocal, asked)
            const attempts = mode.attempts + 1
            yield* heldDevices.record(held, {
              restoring: { deviceId: device.id, dueAt: new Date(at + pause), attempts }
            })
            yield* Effect.logWarning(`The settings of the device ${device.id} were not restored: ${error.message}`)
            if (attempts === commandLimits.restoreAlertAttempts) yield* tell(device, mode, error)
            return kept
          })
        })
      )
    })
  }
})
