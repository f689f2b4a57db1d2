import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { criteria, description, id, ofWorkspace, parseCriteria, visibility, workspace } from "./flags.ts"
import { collectionFields } from "./record.ts"

export const update = Command.make(
  "update",
  {
    id,
    name: Flag.String("name").pipe(Flag.withDescription("New name"), Flag.optional),
    description,
    criteria: criteria.pipe(Flag.optional),
    frozen: Flag.Boolean("frozen").pipe(
      Flag.withDescription("Leave a kept set's members as they are; --no-frozen lets them follow again"),
      Flag.optional
    ),
    visibility,
    workspace
  },
  Effect.fn("collections.update")(function* ({ criteria, description, frozen, id, name, visibility, workspace }) {
    const payload = {
      ...given({ name, description, visibilityLevel: visibility }),
      ...(Option.isSome(criteria) && { criteria: yield* parseCriteria(criteria.value) }),
      ...(Option.isSome(frozen) && { isActive: !frozen.value })
    }
    if (Object.keys(payload).length === 0) {
      return yield* usage("Nothing to change: pass --name, --description, --criteria, --frozen or --visibility")
    }
    const call = yield* (yield* Connection).endpoint("collections", "update")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace), payload }), collectionFields)
  })
).pipe(
  Command.withDescription("Change a collection's name, criteria or freezing"),
  Command.withExamples([{ command: "edp collections update COLLECTION_ID --frozen" }])
)
