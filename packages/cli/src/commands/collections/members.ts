import type { Collection } from "@edp/domain/collections/Collection"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { Output } from "../../Output.ts"
import { byPage, pagingFlags, showList } from "../../paging.ts"
import { customerId } from "../customers/find.ts"
import { findDevice } from "../devices/find.ts"
import { siteId } from "../sites/find.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"
import { memberColumns } from "./memberColumns.ts"

export const members = Command.make(
  "members",
  { ...pagingFlags, id, workspace },
  Effect.fn("collections.members")(function* ({ all, id, page, perPage, workspace }) {
    const call = yield* (yield* Connection).endpoint("collections", "members")
    yield* showList({ all, page, perPage }, "members", memberColumns, (position) =>
      call({ params: { id }, query: { ...ofWorkspace(workspace), ...byPage(position) } })
    )
  })
).pipe(Command.withDescription("List a collection's members, newest first"))

const flags = {
  id,
  members: Argument.String("member").pipe(
    Argument.withDescription("What is put in or taken out, named as elsewhere: by id, reference or name"),
    Argument.atLeast(1)
  ),
  workspace
}

const memberId = Effect.fnUntraced(function* (type: Collection["collectionType"], name: string) {
  if (type === "DEVICE") return (yield* findDevice(name)).id
  return yield* type === "SITE" ? siteId(name) : customerId(name)
})

/** Every member is looked up before any is changed: a misspelt one changes nothing. */
const changeMembers = (verb: "addMember" | "removeMember", done: string) =>
  Effect.fn(`collections.${verb}`)(function* (input: {
    readonly id: string
    readonly members: ReadonlyArray<string>
    readonly workspace: Parameters<typeof ofWorkspace>[0]
  }) {
    const connection = yield* Connection
    const query = ofWorkspace(input.workspace)
    const { collectionType, name } = yield* (yield* connection.endpoint("collections", "get"))({
      params: { id: input.id },
      query
    })
    const found = yield* Effect.forEach(input.members, (member) => memberId(collectionType, member), { concurrency: 4 })
    const ids = [...new Set(found)]
    const call = yield* connection.endpoint("collections", verb)
    yield* Effect.forEach(ids, (memberId) => call({ params: { id: input.id, memberId }, query }), { discard: true })
    yield* (yield* Output).show(
      { id: input.id, [done]: ids },
      () => `${ids.length} ${ids.length === 1 ? "member" : "members"} ${done}: "${name}".`
    )
  })

export const addMembers = Command.make("add", flags, changeMembers("addMember", "added")).pipe(
  Command.withDescription("Put members into a collection that is kept by hand"),
  Command.withExamples([{ command: "edp collections add COLLECTION_ID home-inverter home-meter" }])
)

export const removeMembers = Command.make("remove", flags, changeMembers("removeMember", "removed")).pipe(
  Command.withDescription("Take members out of a collection that is kept by hand"),
  Command.withExamples([{ command: "edp collections remove COLLECTION_ID home-meter" }])
)
