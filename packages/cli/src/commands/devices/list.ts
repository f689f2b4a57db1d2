import { deviceTypes, onlineStatuses } from "@edp/domain/devices/DeviceType"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { several, text, words } from "../../flags.ts"
import { given, pagingFlags, showList } from "../../paging.ts"
import { deviceColumns } from "./record.ts"

const filters = {
  type: words("type", deviceTypes),
  manufacturer: several("manufacturer", "Manufacturer slug"),
  model: several("model", "Name of the model"),
  siteId: several("site", "Site id"),
  customerId: several("customer", "Customer id"),
  referenceId: several("reference-id", "Reference of the user or account in the caller's system"),
  manufacturerDeviceId: several("manufacturer-device-id", "The manufacturer's id"),
  serialNumber: several("serial-number", "Serial number"),
  tag: several("tag", "Tag"),
  onlineStatus: words("online-status", onlineStatuses),
  connected: Flag.Literals("connected", ["true", "false"]).pipe(
    Flag.withDescription("true: connected now; false: disconnected"),
    Flag.optional
  ),
  collectionId: several("collection", "Collection id"),
  q: text("q", "Beginning of the name, any case")
}

export const list = Command.make(
  "list",
  { ...pagingFlags, ...filters },
  Effect.fn("devices.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("devices", "list")
    yield* showList({ all, page, perPage }, "devices", deviceColumns, (position) =>
      call({ query: { ...given(filters), ...position } })
    )
  })
).pipe(
  Command.withDescription("List devices, newest first"),
  Command.withExamples([{ command: "edp devices list --type inverter --online-status online" }])
)
