import { restrictions } from "@edp/domain/commands/commandInputs"
import type { SkippedDevice } from "@edp/domain/commands/BatchCommand"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Clock, Context, Effect, Layer } from "effect"
import type { CommandDevice } from "./commandDevice.ts"
import { CommandDevicesRepository } from "./CommandDevicesRepository.ts"
import type { CommandInput } from "./commandRow.ts"

/** `reset` restores settings that are at most this old, in milliseconds. */
const RESETTABLE = 24 * 3_600_000

/** Why a device does not take a command of a type, for people; undefined if it does. */
export const inability = (
  { commands, disconnectedAt, forcedAt }: CommandDevice,
  type: CommandSlug,
  input: CommandInput,
  now: number
): string | undefined => {
  if (!commands.includes(type)) return `The device does not take ${type}: see its availableCommands`
  if (disconnectedAt !== null) return "The device is disconnected"
  if (type !== "battery:set-operating-mode" || input["operatingMode"] !== "reset") return undefined
  return forcedAt === null || forcedAt.getTime() < now - RESETTABLE
    ? "No mode was forced on the battery in the last 24 hours, so there are no settings to restore"
    : undefined
}

/** Tells which devices can execute a command. */
export class CommandTargets extends Context.Service<
  CommandTargets,
  {
    /** The devices of the workspace that can, in the given order, and why the others cannot. */
    readonly check: (
      workspaceId: string,
      deviceIds: ReadonlyArray<string>,
      type: CommandSlug,
      input: CommandInput
    ) => Effect.Effect<{ readonly able: ReadonlyArray<string>; readonly skipped: ReadonlyArray<SkippedDevice> }>
  }
>()("@edp/server/CommandTargets") {
  static readonly layer = Layer.effect(
    CommandTargets,
    Effect.gen(function* () {
      const repository = yield* CommandDevicesRepository
      return {
        check: Effect.fn("CommandTargets.check")(function* (workspaceId, deviceIds, type, input) {
          const now = yield* Clock.currentTimeMillis
          const devices = new Map((yield* repository.byIds(deviceIds)).map((device) => [device.id, device]))
          const codeFor = (id: string): SkippedDevice["code"] | undefined => {
            const device = devices.get(id)
            if (device?.workspaceId !== workspaceId) return "DEVICE_NOT_FOUND"
            if (inability(device, type, input, now) !== undefined) return "INVALID_STATE"
            return Object.keys(restrictions(type, input, device)).length > 0 ? "VALIDATION_ERROR" : undefined
          }
          const judged = deviceIds.map((deviceId) => ({ deviceId, code: codeFor(deviceId) }))
          return {
            able: judged.filter(({ code }) => code === undefined).map(({ deviceId }) => deviceId),
            skipped: judged.filter((one): one is SkippedDevice => one.code !== undefined)
          }
        })
      }
    })
  )
}
