import type { ApiClient } from "@edp/domain/Client"
import { Console, Effect, Schedule } from "effect"

/** Reads a command until it has completed or failed; the events COMMAND_SUCCEEDED and COMMAND_FAILED tell it without asking. */
export const followCommand = Effect.fn("followCommand")(function* (client: ApiClient, id: string) {
  return yield* client.commands.get({ params: { id } }).pipe(
    Effect.repeat({
      until: ({ status }) => status === "completed" || status === "failed",
      schedule: Schedule.spaced("1 second")
    })
  )
})

/**
 * The side of a manufacturer whose device reports directly: it takes the commands that wait for the device, executes each
 * id once, and reports the result.
 */
export const executeCommands = Effect.fn("executeCommands")(function* (manufacturer: ApiClient, id: string) {
  const { data } = yield* manufacturer.directCommands.take({ params: { id }, query: {} })
  yield* Effect.forEach(data, (command) =>
    Effect.andThen(
      Console.log(`the manufacturer executes ${command.type} ${JSON.stringify(command.input)}`),
      manufacturer.directCommands.report({ params: { id, commandId: command.id }, payload: { status: "completed" } })
    )
  )
})
