import type { Device } from "@edp/domain/devices/Device"
import { Tag } from "@edp/domain/shared/Text"
import { Effect, Result } from "effect"
import { Argument, Command } from "effect/cli"
import { CliFailure } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { describeFailure } from "../../describeFailure.ts"
import { Output, showTable } from "../../Output.ts"
import type { Column } from "../../table.ts"
import { findDevice } from "../devices/find.ts"

const AT_ONCE = 4

const columns: ReadonlyArray<Column<Pick<Device, "id" | "name" | "tags">>> = [
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

/** Every device is looked up before any is changed: a misspelt one changes nothing. */
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
  if (done.length > 0) yield* showTable({ tag, devices: done }, columns, done)
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

export const add = Command.make(
  "add",
  flags,
  Effect.fn("tags.add")(function* ({ devices, tag }) {
    const call = yield* (yield* Connection).endpoint("devices", "addTags")
    const all = yield* changeEach(tag, devices, ({ id }) =>
      Effect.map(call({ params: { id }, payload: { tags: [tag] } }), ({ tags }) => tags)
    )
    const had = all.filter(({ tags }) => tags.includes(tag)).length
    if (had > 0) yield* (yield* Output).note(`${had} of ${all.length} had the tag already`)
  })
).pipe(
  Command.withDescription("Give a tag to devices; what they have already stays"),
  Command.withExamples([{ command: "edp tags add pilot home-inverter home-meter" }])
)

export const remove = Command.make(
  "remove",
  flags,
  Effect.fn("tags.remove")(function* ({ devices, tag }) {
    const call = yield* (yield* Connection).endpoint("devices", "removeTag")
    const all = yield* changeEach(tag, devices, ({ id, tags }) =>
      Effect.as(
        call({ params: { id, tag } }),
        tags.filter((one) => one !== tag)
      )
    )
    const had = all.filter(({ tags }) => tags.includes(tag)).length
    if (had < all.length) yield* (yield* Output).note(`${all.length - had} of ${all.length} did not have the tag`)
  })
).pipe(
  Command.withDescription("Take a tag from devices; their other tags stay"),
  Command.withExamples([{ command: "edp tags remove pilot home-meter" }])
)
