import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CliFailure, usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { json, parseObject, several, text } from "../../flags.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { findDeviceModel } from "../deviceModels.ts"
import { siteId } from "../sites/find.ts"
import { deviceFields } from "./record.ts"

interface ModelFlags {
  readonly manufacturer: string
  readonly model: Option.Option<string>
  readonly type: Option.Option<(typeof deviceTypes)[number]>
}

/** The model that was named, or the manufacturer's newest one of the type. */
const modelId = Effect.fnUntraced(function* ({ manufacturer, model, type }: ModelFlags) {
  if (Option.isSome(model) && Option.isNone(type)) return (yield* findDeviceModel(model.value, manufacturer)).id
  if (Option.isSome(model) || Option.isNone(type)) return yield* usage("Pass either --model or --type")
  const list = yield* (yield* Connection).endpoint("deviceModels", "list")
  const [newest] = (yield* list({ query: { manufacturer: [manufacturer], type: [type.value], perPage: 1 } })).data
  if (newest !== undefined) return newest.id
  return yield* new CliFailure({
    code: "DEVICE_MODEL_NOT_FOUND",
    message: `The manufacturer ${manufacturer} has no device model of type ${type.value}`,
    details: ["edp device-models create makes one."]
  })
})

export const create = Command.make(
  "create",
  {
    manufacturerDeviceId: Flag.String("manufacturer-device-id").pipe(
      Flag.withDescription("The manufacturer's own id of the device, unique per workspace and manufacturer")
    ),
    site: Flag.String("site").pipe(Flag.withDescription("Site, by id, referenceId or name")),
    manufacturer: Flag.String("manufacturer").pipe(
      Flag.withDescription("Slug of the manufacturer; default: generic"),
      Flag.withDefault("generic")
    ),
    model: text("model", "Device model, by id or name"),
    type: Flag.Literals("type", deviceTypes).pipe(
      Flag.withDescription("Instead of a model: the manufacturer's newest model of this type"),
      Flag.optional
    ),
    name: text("name", "Name for people; default: the model's name"),
    serialNumber: text("serial-number", "Serial number"),
    referenceId: text("reference-id", "The user or account in your own system"),
    tags: several("tag", "Tag"),
    staticState: json("static", "What does not change by itself, as JSON; default: the model's").pipe(Flag.optional)
  },
  Effect.fn("devices.create")(function* ({
    manufacturer,
    manufacturerDeviceId,
    model,
    site,
    staticState,
    type,
    ...fields
  }) {
    const payload = {
      manufacturerDeviceId,
      ...given(fields),
      ...(Option.isSome(staticState) && { staticState: yield* parseObject("static", staticState.value) }),
      deviceModelId: yield* modelId({ manufacturer, model, type }),
      siteId: yield* siteId(site)
    }
    const provision = yield* (yield* Connection).endpoint("directIntegration", "provision")
    yield* showRecord(yield* provision({ payload }), deviceFields)
  })
).pipe(
  Command.withDescription("Provision a device as its manufacturer does; one that exists as described stays as it is"),
  Command.withExamples([
    { command: 'edp devices create --manufacturer-device-id shed-meter --type meter --site home --name "Shed"' }
  ])
)
