import { decodeCommandInput, restrictions } from "@edp/domain/commands/commandInputs"
import type { Device } from "@edp/domain/devices/Device"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { CommandIssuer } from "../commands/issuing/CommandIssuer.ts"
import { inability, readCommandDevices } from "../commands/issuing/CommandTargets.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { logFailure } from "../platform/logs/repeatedFailures.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { type Messages, planCommands, type PlannedCommand } from "./mapping/receivedCommands.ts"
import type { PublicationRow } from "./publicationRow.ts"

/** Turns messages of Home Assistant into commands of the platform, by the rules that hold for those of other users. */
export class ReceivedCommands extends Context.Service<
  ReceivedCommands,
  {
    /** Issues the commands of messages for a device of the publication. Those that it can't take are logged. */
    readonly issue: (
      publication: PublicationRow,
      device: Device,
      messages: Messages
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/ReceivedCommands") {
  static readonly layer = Layer.effect(
    ReceivedCommands,
    Effect.gen(function* () {
      const issuer = yield* CommandIssuer
      const read = yield* readCommandDevices
      const { commandTimeoutSeconds } = yield* ServerConfig

      /** Why a command is refused; undefined if it was issued. */
      const issueOne = Effect.fnUntraced(function* (
        { id, workspaceId }: PublicationRow,
        deviceId: string,
        { input, type }: PlannedCommand
      ) {
        const decoded = yield* Effect.result(decodeCommandInput(type, input))
        if (Result.isFailure(decoded))
          return Object.entries(decoded.failure)
            .map((one) => one.join(": "))
            .join("; ")
        const [device] = yield* read([deviceId])
        if (device === undefined || device.workspaceId !== workspaceId) return "The device was deleted"
        const now = yield* Clock.currentTimeMillis
        const unable = inability(device, type, input, now)
        if (unable !== undefined) return unable
        const limits = Object.entries(restrictions(type, input, device))
        if (limits.length > 0) return limits.map((one) => one.join(": ")).join("; ")
        yield* issuer.issue(
          [
            {
              workspaceId,
              deviceId,
              type,
              input: { ...decoded.success },
              source: "user",
              sourceId: id,
              batchId: null,
              scheduledFor: null,
              notBefore: null,
              expiresAt: new Date(now + commandTimeoutSeconds * 1000),
              revertAfter: null
            }
          ],
          now
        )
        yield* issuer.wake
        return undefined
      })

      return {
        issue: Effect.fn("ReceivedCommands.issue")(function* (publication, device, messages) {
          const { commands, refused } = planCommands(device, messages)
          const problems = [...refused]
          for (const command of commands) {
            const problem = yield* issueOne(publication, device.id, command)
            if (problem !== undefined) problems.push(problem)
          }
          if (problems.length === 0) return
          yield* logFailure(
            "commands of Home Assistant",
            `The device ${device.id} can't take what Home Assistant sent by the publication ${publication.id}: ${problems.join("; ")}`
          )
        })
      }
    })
  )
}
