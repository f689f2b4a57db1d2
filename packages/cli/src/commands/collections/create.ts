import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { criteria, description, ofWorkspace, parseCriteria, type, visibility, workspace } from "./flags.ts"
import { collectionFields } from "./record.ts"

export const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 255 characters, unique in the workspace")),
    type,
    criteria: criteria.pipe(Flag.withDefault("{}")),
    kept: Flag.Boolean("kept").pipe(
      Flag.withDescription("Keep the members as a set instead of a live query"),
      Flag.withDefault(false)
    ),
    frozen: Flag.Boolean("frozen").pipe(
      Flag.withDescription("With --kept: leave the members as they are now"),
      Flag.withDefault(false)
    ),
    description,
    visibility,
    workspace
  },
  Effect.fn("collections.create")(function* (flags) {
    const payload = {
      name: flags.name,
      collectionType: flags.type,
      criteria: yield* parseCriteria(flags.criteria),
      dynamic: !flags.kept,
      isActive: !flags.frozen,
      ...given({ description: flags.description, visibilityLevel: flags.visibility })
    }
    const call = yield* (yield* Connection).endpoint("collections", "create")
    yield* showRecord(yield* call({ query: ofWorkspace(flags.workspace), payload }), collectionFields)
  })
).pipe(
  Command.withDescription("Create a collection"),
  Command.withExamples([
    {
      command: `edp collections create --name Batteries --type DEVICE --criteria '{"attribute":"type","operator":"eq","value":"battery"}'`
    }
  ])
)
