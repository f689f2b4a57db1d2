import { Effect } from "effect"
import { Command } from "effect/cli"
import { confirm } from "./ask.ts"
import { Output } from "./Output.ts"

type Config = Command.Command.Config
type Infer<C extends Config> = Command.Command.Config.Infer<C>

/**
 * A command with its help.
 *
 * @param path The words after `edp`, such as `sites show`.
 */
export const verb = <const C extends Config, A, E, R>(
  path: string,
  description: string,
  config: C,
  run: (input: Infer<C>) => Effect.Effect<A, E, R>,
  examples: ReadonlyArray<string> = []
) =>
  Command.make(path.split(" ").at(-1)!, config, Effect.fn(path)(run)).pipe(
    Command.withDescription(description),
    Command.withExamples(examples.map((command) => ({ command })))
  )

/** Asks for confirmation, deletes and reports it. */
export const confirmDeletion = Effect.fnUntraced(function* <A, E, R>(deletion: {
  readonly yes: boolean
  readonly id: string
  readonly question: string
  readonly call: Effect.Effect<A, E, R>
  readonly done: string
}) {
  const { call, done, id, question, yes } = deletion
  yield* confirm({ yes, message: question, unasked: "refuse" })
  yield* call
  yield* (yield* Output).show({ id, deleted: true }, () => done)
})
