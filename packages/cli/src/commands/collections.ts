import { type Collection, VisibilityLevel, type CollectionMember } from "@edp/domain/collections/Collection"
import { collectionTypes, type Criteria } from "@edp/domain/collections/criteria"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { confirm } from "../kernel/ask.ts"
import { customerId, findDevice, siteId } from "../kernel/find.ts"
import { parseObject, words } from "../kernel/flags.ts"
import { byPage, given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const kind = ({ dynamic, isActive }: Collection) => (dynamic ? "live" : isActive ? "kept" : "frozen")

const collectionColumns: ReadonlyArray<Column<Collection>> = [
  { title: "ID", value: (collection) => collection.id, whole: true },
  { title: "NAME", value: (collection) => collection.name },
  { title: "TYPE", value: (collection) => collection.collectionType, whole: true },
  { title: "MEMBERS", value: kind, whole: true },
  { title: "VISIBILITY", value: (collection) => collection.visibilityLevel, wide: true },
  { title: "CREATED", value: (collection) => collection.createdAt, time: true, whole: true, wide: true }
]

const collectionFields = (collection: Collection) =>
  [
    ["id", collection.id],
    ["name", collection.name],
    ["type", collection.collectionType],
    ["members", kind(collection)],
    ["criteria", collection.criteria],
    ["description", collection.description],
    ["visibility", collection.visibilityLevel],
    ["workspace", collection.workspaceId],
    ["created", `${collection.createdAt} by ${collection.createdById}`],
    ["updated", collection.updatedAt]
  ] as const

const id = Argument.String("id").pipe(Argument.withDescription("Id of the collection"))

const workspace = Flag.String("workspace").pipe(
  Flag.withDescription("Workspace that a MANAGEMENT key means; default: its own"),
  Flag.optional
)

const type = Flag.Literals("type", collectionTypes).pipe(Flag.withDescription("What it gathers"))

const criteria = Flag.String("criteria").pipe(
  Flag.withMetavar("json"),
  Flag.withDescription("A rule, all, any or not, as JSON; {} for a set kept by hand")
)

const visibility = Flag.Literals("visibility", ["INTERNAL", "SHARED"]).pipe(
  Flag.withDescription("For your own use"),
  Flag.optional
)

const description = Flag.String("description").pipe(Flag.withDescription("More for people"), Flag.optional)

/** The workspace as the API takes it. */
const ofWorkspace = (workspace: Option.Option<string>) =>
  Option.isSome(workspace) ? { workspaceId: workspace.value } : {}

/** The criteria that were written; what they mean is for the service to judge. */
const parseCriteria = (text: string) => Effect.map(parseObject("criteria", text), (criteria) => criteria as Criteria)

const kindOf = (member: CollectionMember) =>
  "manufacturerDeviceId" in member ? member.type : "address" in member ? "site" : "customer"

const nameOf = (member: CollectionMember) =>
  "name" in member ? member.name : [member.firstName, member.lastName].filter((part) => part !== null).join(" ")

/** What devices, sites and customers have in common. */
const memberColumns: ReadonlyArray<Column<CollectionMember>> = [
  { title: "ID", value: (member) => member.id, whole: true, wide: true },
  { title: "KIND", value: kindOf, whole: true },
  { title: "NAME", value: nameOf },
  { title: "REFERENCE", value: (member) => member.referenceId }
]

const filters = {
  collectionType: words("type", collectionTypes),
  visibilityLevel: words("visibility", VisibilityLevel.literals),
  dynamic: Flag.Literals("dynamic", ["true", "false"]).pipe(
    Flag.withDescription("true: live queries; false: kept sets"),
    Flag.optional
  ),
  isActive: Flag.Literals("active", ["true", "false"]).pipe(Flag.withDescription("false: frozen"), Flag.optional),
  q: Flag.String("q").pipe(Flag.withDescription("Beginning of the name"), Flag.optional)
}

const list = Command.make(
  "list",
  { ...pagingFlags, ...filters, workspace },
  Effect.fn("collections.list")(function* ({ all, page, perPage, workspace, ...filters }) {
    const call = yield* (yield* Connection).endpoint("collections", "list")
    yield* showList({ all, page, perPage }, "collections", collectionColumns, (position) =>
      call({ query: { ...given(filters), ...ofWorkspace(workspace), ...byPage(position) } })
    )
  })
).pipe(Command.withDescription("List collections, newest first"))

const show = Command.make(
  "show",
  { id, workspace },
  Effect.fn("collections.show")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("collections", "get")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), collectionFields)
  })
).pipe(Command.withDescription("Show a collection with its criteria"))

const create = Command.make(
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

const update = Command.make(
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

const remove = Command.make(
  "delete",
  { id, workspace, yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false)) },
  Effect.fn("collections.delete")(function* ({ id, workspace, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const query = ofWorkspace(workspace)
    const { name } = yield* (yield* connection.endpoint("collections", "get"))({ params: { id }, query })
    yield* confirm({ yes, message: `Delete the collection "${name}"? Its members stay.`, unasked: "refuse" })
    yield* (yield* connection.endpoint("collections", "remove"))({ params: { id }, query })
    yield* show({ id, deleted: true }, () => `The collection "${name}" is deleted.`)
  })
).pipe(Command.withDescription("Delete a collection; its members stay what they are"))

const members = Command.make(
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

const addMembers = Command.make("add", flags, changeMembers("addMember", "added")).pipe(
  Command.withDescription("Put members into a collection that is kept by hand"),
  Command.withExamples([{ command: "edp collections add COLLECTION_ID home-inverter home-meter" }])
)

const removeMembers = Command.make("remove", flags, changeMembers("removeMember", "removed")).pipe(
  Command.withDescription("Take members out of a collection that is kept by hand"),
  Command.withExamples([{ command: "edp collections remove COLLECTION_ID home-meter" }])
)

const preview = Command.make(
  "preview",
  { ...pagingFlags, type, criteria, workspace },
  Effect.fn("collections.preview")(function* ({ all, criteria, page, perPage, type, workspace }) {
    const payload = { collectionType: type, criteria: yield* parseCriteria(criteria) }
    const call = yield* (yield* Connection).endpoint("collections", "preview")
    yield* showList({ all, page, perPage }, "members", memberColumns, (position) =>
      call({ query: { ...ofWorkspace(workspace), ...byPage(position) }, payload })
    )
  })
).pipe(
  Command.withDescription("Show who meets criteria, without storing anything"),
  Command.withExamples([
    {
      command: `edp collections preview --type DEVICE --criteria '{"attribute":"tags","operator":"contains","value":"pilot"}'`
    }
  ])
)

const refresh = Command.make(
  "refresh",
  { id, workspace },
  Effect.fn("collections.refresh")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("collections", "refresh")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), collectionFields)
  })
).pipe(Command.withDescription("Bring a kept set up to date now"))

export const collections = Command.make("collections").pipe(
  Command.withDescription("Collections of devices, sites or customers, by criteria or by hand"),
  Command.withSubcommands([list, show, create, update, remove, members, addMembers, removeMembers, preview, refresh])
)
