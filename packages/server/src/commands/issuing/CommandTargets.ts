import { restrictions } from "@edp/domain/commands/commandInputs"
import type { SkippedDevice } from "@edp/domain/commands/BatchCommand"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Clock, Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { CommandDevice } from "./commandDevice.ts"
import { CommandDevicesRepository } from "./CommandDevicesRepository.ts"
import type { CommandInput } from "../commandRow.ts"

/** `reset` restores settings that are at most this old, in milliseconds. */
const RESETTABLE = 24 * 3_600_000

/** Why a device does not take a command of a type, as shown to users; undefined if it does. */
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

/** A command for one device. */
export interface TargetedCommand {
  readonly workspaceId: string
  readonly deviceId: string
  readonly type: CommandSlug
  readonly input: CommandInput
}

interface Checked<Able> {
  readonly able: ReadonlyArray<Able>
  readonly skipped: ReadonlyArray<SkippedDevice>
}

/** Decides which devices can execute a command. */
export class CommandTargets extends Context.Service<
  CommandTargets,
  {
    /** The devices of the workspace that can, in the given order, and why the others cannot. */
    readonly check: (
      workspaceId: string,
      deviceIds: ReadonlyArray<string>,
      type: CommandSlug,
      input: CommandInput
    ) => Effect.Effect<Checked<string>, DatabaseUnavailable>
    /** The same for a command of its own for each device. */
    readonly checkEach: <C extends TargetedCommand>(
      commands: ReadonlyArray<C>
    ) => Effect.Effect<Checked<C>, DatabaseUnavailable>
  }
>()("@edp/server/CommandTargets") {
  static readonly layer = Layer.effect(
    CommandTargets,
    Effect.gen(function* () {
      const repository = yield* CommandDevicesRepository

      const checkEach = Effect.fn("CommandTargets.check")(function* <C extends TargetedCommand>(
        commands: ReadonlyArray<C>
      ) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* repository.byIds(commands.map(({ deviceId }) => deviceId))
        const devices = new Map(found.map((device) => [device.id, device]))
        const codeFor = ({ deviceId, input, type, workspaceId }: C): SkippedDevice["code"] | undefined => {
          const device = devices.get(deviceId)
          if (device?.workspaceId !== workspaceId) return "DEVICE_NOT_FOUND"
          if (inability(device, type, input, now) !== undefined) return "INVALID_STATE"
          return Object.keys(restrictions(type, input, device)).length > 0 ? "VALIDATION_ERROR" : undefined
        }
        const judged = commands.map((command) => ({ command, code: codeFor(command) }))
        return {
          able: judged.filter(({ code }) => code === undefined).map(({ command }) => command),
          skipped: judged.flatMap(({ code, command }) =>
            code === undefined ? [] : [{ deviceId: command.deviceId, code }]
          )
        }
      })

      return {
        checkEach,
        check: (workspaceId, deviceIds, type, input) =>
          Effect.map(
            checkEach(deviceIds.map((deviceId) => ({ workspaceId, deviceId, type, input }))),
            ({ able, skipped }) => ({ able: able.map(({ deviceId }) => deviceId), skipped })
          )
      }
    })
  )
}
