import { restrictions } from "@edp/domain/commands/commandInputs"
import type { SkippedDevice } from "@edp/domain/commands/BatchCommand"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Clock, Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { CommandDevice, type CommandInput } from "../commandRow.ts"
import { SqlClient } from "effect/sql"
import { anyOf } from "../../platform/sql/lists.ts"
import { queryRows } from "../../platform/sql/rows.ts"

/** Reads devices as far as commands need them. */
export const readCommandDevices = Effect.map(
  SqlClient.SqlClient,
  (sql) => (ids: ReadonlyArray<string>) =>
    queryRows(CommandDevice)(sql`SELECT d.id, d.workspace_id AS "workspaceId", d.type, d.manufacturer,
          d.manufacturer_device_id AS "manufacturerDeviceId", d.reference_id AS "referenceId", d.direct,
          d.account_id AS "accountId", d.commands, d.static_state AS "staticState", d.interventions,
          d.interventions_at AS "interventionsAt",
          d.disconnected_at AS "disconnectedAt", s.reading_id AS "readingId", s.at, s.state,
          CASE WHEN f.snapshot IS NOT NULL OR d.direct THEN f.began_at END AS "forcedAt"
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id LEFT JOIN forced_modes f ON f.device_id = d.id
        WHERE d.id = ${anyOf(sql, ids)}`)
)

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
      const read = yield* readCommandDevices

      const checkEach = Effect.fn("CommandTargets.check")(function* <C extends TargetedCommand>(
        commands: ReadonlyArray<C>
      ) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* read(commands.map(({ deviceId }) => deviceId))
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
