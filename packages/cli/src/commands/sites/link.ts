import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { text } from "../../flags.ts"
import { Output, showRecord } from "../../Output.ts"
import { customerId } from "../customers/find.ts"
import { customerFields } from "../customers/record.ts"
import { findDevice } from "../devices/find.ts"
import { deviceFields } from "../devices/record.ts"
import { siteArgument, siteId } from "./find.ts"

const partners = {
  customer: text("customer", "Customer, by id or referenceId"),
  device: text("device", "Device, by its id or the manufacturer's id of it")
}

type Partner = { readonly customerId: string } | { readonly deviceId: string }

/** Exactly one of the two, so that a command does one thing or nothing. */
const partner = Effect.fnUntraced(function* (flags: {
  readonly customer: Option.Option<string>
  readonly device: Option.Option<string>
}) {
  if (Option.isSome(flags.customer) && Option.isNone(flags.device)) {
    return { customerId: yield* customerId(flags.customer.value) } as Partner
  }
  if (Option.isSome(flags.device) && Option.isNone(flags.customer)) {
    return { deviceId: (yield* findDevice(flags.device.value)).id } as Partner
  }
  return yield* usage("Pass either --customer or --device")
})

export const link = Command.make(
  "link",
  { site: siteArgument, ...partners },
  Effect.fn("sites.link")(function* ({ site, ...flags }) {
    const connection = yield* Connection
    const other = yield* partner(flags)
    const id = yield* siteId(site)
    if ("customerId" in other) {
      const call = yield* connection.endpoint("customers", "linkSite")
      return yield* showRecord(yield* call({ params: { id, ...other } }), customerFields)
    }
    const call = yield* connection.endpoint("devices", "linkSite")
    yield* showRecord(yield* call({ params: { id, ...other } }), deviceFields)
  })
).pipe(
  Command.withDescription("Associate a customer with a site, or put a device at it"),
  Command.withExamples([{ command: "edp sites link home-1 --customer user-1" }])
)

export const unlink = Command.make(
  "unlink",
  { site: siteArgument, ...partners },
  Effect.fn("sites.unlink")(function* ({ site, ...flags }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const other = yield* partner(flags)
    const id = yield* siteId(site)
    if ("customerId" in other) {
      yield* (yield* connection.endpoint("customers", "unlinkSite"))({ params: { id, ...other } })
    } else {
      yield* (yield* connection.endpoint("devices", "unlinkSite"))({ params: { id, ...other } })
    }
    yield* show({ siteId: id, ...other, unlinked: true }, () => "They are separated; both stay.")
  })
).pipe(Command.withDescription("Separate a customer or a device from a site; both stay"))
