import { verb } from "../kernel/verb.ts"
import type { Device } from "@edp/domain/devices/Device"
import { Tag } from "@edp/domain/shared/Text"
import type { TagUse } from "@edp/domain/tags/Tag"
import { Effect, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CliFailure, describeFailure } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showTable } from "../kernel/Output.ts"
import { findDevice } from "../kernel/find.ts"
import { pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"

const columns: ReadonlyArray<Column<TagUse>> = [
  { title: "TAG", value: ({ tag }) => tag },
  { title: "DEVICES", value: ({ deviceCount }) => deviceCount, right: true },
  { title: "SITES", value: ({ siteCount }) => siteCount, right: true }
]

const list = verb(
  "tags list",
  "List tags with the number of devices and sites",
  {
    ...pagingFlags,
    q: Flag.String("q").pipe(Flag.withDescription("Beginning of the tag, any case"), Flag.optional)
  },
  (flags) => showList(flags, "tags", columns, (query) => request("tags", "list", { query })),
  ["edp tags list --q fleet"]
)

const AT_ONCE = 4

const deviceColumns: ReadonlyArray<Column<Pick<Device, "id" | "name" | "tags">>> = [
  { title: "NAME", value: ({ name }) => name },
  { title: "TAGS", value: ({ tags }) => tags },
  { title: "ID", value: ({ id }) => id, whole: true, wide: true }
]

const flags = {
  tag: Argument.String("tag").pipe(
    Argument.withSchema(Tag),
    Argument.withDescription("1 to 100 characters without commas")
  ),
  devices: Argument.String("device").pipe(
    Argument.withDescription("Id of a device, the manufacturer's id of it, or its name"),
    Argument.atLeast(1)
  )
}

/** Looks up all devices first, so that a misspelt one changes nothing. */
const changeEach = Effect.fnUntraced(function* <E, R>(
  tag: string,
  names: ReadonlyArray<string>,
  change: (device: Device) => Effect.Effect<ReadonlyArray<string>, E, R>
) {
  const found = yield* Effect.forEach(names, findDevice, { concurrency: AT_ONCE })
  const devices = [...new Map(found.map((device) => [device.id, device])).values()]
  const outcomes = yield* Effect.forEach(
    devices,
    (device) => Effect.map(Effect.result(change(device)), (outcome) => ({ device, outcome })),
    { concurrency: AT_ONCE }
  )
  const done = outcomes.flatMap(({ device: { id, name }, outcome }) =>
    Result.isSuccess(outcome) ? [{ id, name, tags: outcome.success }] : []
  )
  if (done.length > 0) yield* showTable({ tag, devices: done }, deviceColumns, done)
  const failures = outcomes.flatMap(({ device, outcome }) =>
    Result.isFailure(outcome) ? [{ device, ...describeFailure(outcome.failure) }] : []
  )
  const [first] = failures
  if (first === undefined) return devices
  return yield* new CliFailure({
    code: first.code,
    message: `${failures.length} of ${devices.length} devices stay as they were: ${first.message}`,
    details: failures.map(({ code, details, device }) => [`${device.id}: ${code}`, ...details].join("; "))
  })
})

const add = verb(
  "tags add",
  "Add a tag to devices; their other tags stay",
  flags,
  Effect.fnUntraced(function* ({ devices, tag }) {
    const all = yield* changeEach(tag, devices, ({ id }) =>
      Effect.map(request("devices", "addTags", { params: { id }, payload: { tags: [tag] } }), ({ tags }) => tags)
    )
    const had = all.filter(({ tags }) => tags.includes(tag)).length
    if (had > 0) yield* (yield* Output).note(`${had} of ${all.length} had the tag already`)
  }),
  ["edp tags add pilot home-inverter home-meter"]
)

const remove = verb(
  "tags remove",
  "Remove a tag from devices; their other tags stay",
  flags,
  Effect.fnUntraced(function* ({ devices, tag }) {
    const all = yield* changeEach(tag, devices, ({ id, tags }) =>
      Effect.as(
        request("devices", "removeTag", { params: { id, tag } }),
        tags.filter((one) => one !== tag)
      )
    )
    const had = all.filter(({ tags }) => tags.includes(tag)).length
    if (had < all.length) yield* (yield* Output).note(`${all.length - had} of ${all.length} did not have the tag`)
  }),
  ["edp tags remove pilot home-meter"]
)

export const tags = Command.make("tags").pipe(
  Command.withDescription("Tags of devices and sites"),
  Command.withSubcommands([list, add, remove])
)
