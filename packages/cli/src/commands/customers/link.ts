import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { Output, showRecord } from "../../Output.ts"
import { siteId } from "../sites/find.ts"
import { customerArgument, customerId } from "./find.ts"
import { customerFields } from "./record.ts"

const site = Flag.String("site").pipe(Flag.withDescription("Site, by id or referenceId"))

export const link = Command.make(
  "link",
  { customer: customerArgument, site },
  Effect.fn("customers.link")(function* ({ customer, site }) {
    const params = { id: yield* siteId(site), customerId: yield* customerId(customer) }
    const call = yield* (yield* Connection).endpoint("customers", "linkSite")
    yield* showRecord(yield* call({ params }), customerFields)
  })
).pipe(
  Command.withDescription("Associate a customer with a site"),
  Command.withExamples([{ command: "edp customers link user-1 --site home-1" }])
)

export const unlink = Command.make(
  "unlink",
  { customer: customerArgument, site },
  Effect.fn("customers.unlink")(function* ({ customer, site }) {
    const { show } = yield* Output
    const params = { id: yield* siteId(site), customerId: yield* customerId(customer) }
    yield* (yield* (yield* Connection).endpoint("customers", "unlinkSite"))({ params })
    yield* show(
      { siteId: params.id, customerId: params.customerId, unlinked: true },
      () => "They are separated; both stay."
    )
  })
).pipe(Command.withDescription("Separate a customer from a site; both stay"))
