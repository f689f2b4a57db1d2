import { verb, confirmDeletion } from "../kernel/verb.ts"
import { type Collection, VisibilityLevel, type CollectionMember } from "@edp/domain/collections/Collection"
import { collectionTypes, type Criteria } from "@edp/domain/collections/criteria"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { Connection, request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { customerId, findDevice, siteId } from "../kernel/find.ts"
import { parseObject, choices, workspaceId, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
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

const type = Flag.Literals("type", collectionTypes).pipe(Flag.withDescription("Type of the members"))

const criteria = Flag.String("criteria").pipe(
  Flag.withMetavar("json"),
  Flag.withDescription("Criteria as JSON: a rule, all, any or not; {} for members that are chosen individually")
)

const visibility = Flag.Literals("visibility", ["INTERNAL", "SHARED"]).pipe(
  Flag.withDescription("Visibility, for your own use"),
  Flag.optional
)

const description = Flag.String("description").pipe(Flag.withDescription("Longer description"), Flag.optional)

/** Parses the criteria; the service validates them. */
const parseCriteria = (text: string) => Effect.map(parseObject("criteria", text), (criteria) => criteria as Criteria)

const memberKind = (member: CollectionMember) =>
  "manufacturerDeviceId" in member ? member.type : "address" in member ? "site" : "customer"

const memberName = (member: CollectionMember) =>
  "name" in member ? member.name : [member.firstName, member.lastName].filter((part) => part !== null).join(" ")

/** The fields that devices, sites and customers share. */
const memberColumns: ReadonlyArray<Column<CollectionMember>> = [
  { title: "ID", value: (member) => member.id, whole: true },
  { title: "KIND", value: memberKind, whole: true },
  { title: "NAME", value: memberName },
  { title: "REFERENCE", value: (member) => member.referenceId }
]

const filters = {
  collectionType: choices("type", collectionTypes),
  visibilityLevel: choices("visibility", VisibilityLevel.literals),
  dynamic: Flag.Literals("dynamic", ["true", "false"]).pipe(
    Flag.withDescription("true: live queries; false: materialized collections"),
    Flag.optional
  ),
  isActive: Flag.Literals("active", ["true", "false"]).pipe(Flag.withDescription("false: frozen"), Flag.optional),
  q: Flag.String("q").pipe(Flag.withDescription("Beginning of the name"), Flag.optional)
}

const list = verb(
  "collections list",
  "List collections, newest first",
  { ...pagingFlags, ...filters, workspaceId },
  (flags) => showList(flags, "collections", collectionColumns, (query) => request("collections", "list", { query }))
)

const show = verb(
  "collections show",
  "Show a collection with its criteria",
  { id, workspaceId },
  ({ id, workspaceId }) =>
    showRecord(request("collections", "get", { params: { id }, query: given({ workspaceId }) }), collectionFields)
)

const create = verb(
  "collections create",
  "Create a collection",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 255 characters, unique in the workspace")),
    type,
    criteria: criteria.pipe(Flag.withDefault("{}")),
    kept: Flag.Boolean("kept").pipe(
      Flag.withDescription("Materialize the members instead of querying them live"),
      Flag.withDefault(false)
    ),
    frozen: Flag.Boolean("frozen").pipe(
      Flag.withDescription("With --kept: keep the current members"),
      Flag.withDefault(false)
    ),
    description,
    visibility,
    workspaceId
  },
  Effect.fnUntraced(function* (flags) {
    const payload = {
      name: flags.name,
      collectionType: flags.type,
      criteria: yield* parseCriteria(flags.criteria),
      dynamic: !flags.kept,
      isActive: !flags.frozen,
      ...given({ description: flags.description, visibilityLevel: flags.visibility })
    }
    yield* showRecord(
      request("collections", "create", { query: given({ workspaceId: flags.workspaceId }), payload }),
      collectionFields
    )
  }),
  [
    `edp collections create --name Batteries --type DEVICE --criteria '{"attribute":"type","operator":"eq","value":"battery"}'`
  ]
)

const update = verb(
  "collections update",
  "Change a collection",
  {
    id,
    name: Flag.String("name").pipe(Flag.withDescription("New name"), Flag.optional),
    description,
    criteria: criteria.pipe(Flag.optional),
    frozen: Flag.Boolean("frozen").pipe(
      Flag.withDescription("Stop updating the members; --no-frozen resumes"),
      Flag.optional
    ),
    visibility,
    workspaceId
  },
  Effect.fnUntraced(function* ({ criteria, description, frozen, id, name, visibility, workspaceId }) {
    const payload = {
      ...given({ name, description, visibilityLevel: visibility }),
      ...(Option.isSome(criteria) && { criteria: yield* parseCriteria(criteria.value) }),
      ...(Option.isSome(frozen) && { isActive: !frozen.value })
    }
    if (Object.keys(payload).length === 0) {
      return yield* usage("Nothing to change: pass --name, --description, --criteria, --frozen or --visibility")
    }
    yield* showRecord(
      request("collections", "update", { params: { id }, query: given({ workspaceId }), payload }),
      collectionFields
    )
  }),
  ["edp collections update COLLECTION_ID --frozen"]
)

const remove = verb(
  "collections delete",
  "Delete a collection; its members stay",
  { id, workspaceId, yes },
  Effect.fnUntraced(function* ({ id, workspaceId, yes }) {
    const query = given({ workspaceId })
    const { name } = yield* request("collections", "get", { params: { id }, query })
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the collection "${name}"? Its members stay.`,
      call: request("collections", "remove", { params: { id }, query }),
      done: `The collection "${name}" is deleted.`
    })
  })
)

const members = verb(
  "collections members",
  "List a collection's members, newest first",
  { ...pagingFlags, id, workspaceId },
  ({ id, ...flags }) =>
    showList(flags, "members", memberColumns, (query) => request("collections", "members", { params: { id }, query }))
)

const flags = {
  id,
  members: Argument.String("member").pipe(
    Argument.withDescription("Member, by id, reference or name"),
    Argument.atLeast(1)
  ),
  workspaceId
}

const memberId = Effect.fnUntraced(function* (type: Collection["collectionType"], name: string) {
  if (type === "DEVICE") return (yield* findDevice(name)).id
  return yield* type === "SITE" ? siteId(name) : customerId(name)
})

/** Looks up all members first, so that a misspelt one changes nothing. */
const changeMembers = (verb: "addMember" | "removeMember", done: string) =>
  Effect.fn(`collections.${verb}`)(function* (input: {
    readonly id: string
    readonly members: ReadonlyArray<string>
    readonly workspaceId: Option.Option<string>
  }) {
    const connection = yield* Connection
    const query = given({ workspaceId: input.workspaceId })
    const { collectionType, name } = yield* request("collections", "get", {
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
  Command.withDescription("Add members to a collection without criteria"),
  Command.withExamples([{ command: "edp collections add COLLECTION_ID home-inverter home-meter" }])
)

const removeMembers = Command.make("remove", flags, changeMembers("removeMember", "removed")).pipe(
  Command.withDescription("Remove members from a collection without criteria"),
  Command.withExamples([{ command: "edp collections remove COLLECTION_ID home-meter" }])
)

const preview = verb(
  "collections preview",
  "List the records that meet criteria, without storing anything",
  { ...pagingFlags, type, criteria, workspaceId },
  Effect.fnUntraced(function* ({ criteria, type, ...flags }) {
    const payload = { collectionType: type, criteria: yield* parseCriteria(criteria) }
    yield* showList(flags, "members", memberColumns, (query) => request("collections", "preview", { query, payload }))
  }),
  [`edp collections preview --type DEVICE --criteria '{"attribute":"tags","operator":"contains","value":"pilot"}'`]
)

const refresh = verb(
  "collections refresh",
  "Refresh a materialized collection now",
  { id, workspaceId },
  ({ id, workspaceId }) =>
    showRecord(request("collections", "refresh", { params: { id }, query: given({ workspaceId }) }), collectionFields)
)

export const collections = Command.make("collections").pipe(
  Command.withDescription("Collections of devices, sites or customers"),
  Command.withSubcommands([list, show, create, update, remove, members, addMembers, removeMembers, preview, refresh])
)
