import { Effect, Schedule } from "effect"
import { Argument } from "effect/cli"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { request } from "../../kernel/Connection.ts"
import { Output } from "../../kernel/Output.ts"
import { verb } from "../../kernel/verb.ts"

const id = Argument.String("id").pipe(Argument.withDescription("Id of the workspace"))

/** A lease of a call or of a command lasts two minutes. */
const attempts = 180

export const pause = verb(
  "workspaces pause",
  "Begin no more commands, deliveries, mails and calls to manufacturers for a workspace, and wait for those that run",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    const ask = request("workspaceMoves", "pause", { params: { id } })
    // Work whose claim was being made at the moment of the pause is there after a second.
    const paused = yield* Effect.andThen(ask, Effect.delay(ask, "1 second")).pipe(
      Effect.repeat({
        schedule: Schedule.spaced("1 second"),
        times: attempts,
        until: ({ running }) => running === 0
      })
    )
    if (paused.running > 0) {
      return yield* new CliFailure({
        code: "STILL_RUNNING",
        message: `The workspace is paused, and ${paused.running} calls, commands or deliveries have not ended`,
        details: ["Run the command again to wait for them, or edp workspaces resume to end the pause."]
      })
    }
    yield* (yield* Output).show(paused, () => "The workspace is paused, and nothing runs for it.")
    return paused
  }),
  ["edp workspaces pause WORKSPACE_ID"]
)

export const resume = verb(
  "workspaces resume",
  "End the pause of a workspace",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    yield* request("workspaceMoves", "resume", { params: { id } })
    yield* (yield* Output).show({ id, resumed: true }, () => "The workspace works again.")
    return undefined
  }),
  ["edp workspaces resume WORKSPACE_ID"]
)
