import { Result, Schema } from "effect"
import type { CommandSlug } from "../devices/DeviceType.ts"
import { type Details, validator } from "../errors/validator.ts"
import { flag } from "../shared/quantities.ts"

export const PairingOutput = Schema.Struct({
  paired: flag("Whether the vehicle accepts the platform's key"),
  required: flag("Whether the vehicle takes commands only with a paired key")
}).annotate({ identifier: "PairingOutput", description: "Output of vehicle:check-pairing-status" })

type Output = Readonly<Record<string, unknown>>

/** The outputs that have a form. A command of another type has none, or details of its manufacturer. */
const decoders: Partial<Record<CommandSlug, ReturnType<typeof validator<Output>>>> = {
  "vehicle:check-pairing-status": validator(PairingOutput as Schema.Codec<Output, unknown>, "output")
}

/**
 * Decodes the output of a command by its type, with a message for every wrong field, by its path such as `output.paired`. A command whose
 * type has an output is not completed without it.
 */
export const decodeCommandOutput = (
  type: CommandSlug,
  status: "accepted" | "completed" | "failed",
  output: Output | null
): Result.Result<Output | null, Details> => {
  const decode = decoders[type]
  if (decode === undefined) return Result.succeed(output)
  if (output !== null) return decode(output, ["output"])
  return status === "completed"
    ? Result.fail({ output: `Is required with completed: the result of ${type}` })
    : Result.succeed(null)
}
