import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { text } from "../../flags.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { customerId } from "../customers/find.ts"
import { addressFlags, addressFrom, locationFlags, locationFrom, plainFlags } from "./flags.ts"
import { siteFields } from "./record.ts"

export const create = Command.make(
  "create",
  {
    ...plainFlags,
    ...addressFlags,
    ...locationFlags,
    customer: text("customer", "Customer to associate it with, by id or referenceId")
  },
  Effect.fn("sites.create")(function* (flags) {
    const { customer, latitude, longitude, name, referenceId, tags, timezone, ...lines } = flags
    const address = yield* addressFrom(lines)
    if (Option.isNone(address)) return yield* usage("A site needs an --address")
    const payload = {
      ...given({ name, referenceId, tags, timezone }),
      address: address.value,
      ...(yield* locationFrom({ latitude, longitude })),
      ...(Option.isSome(customer) && { customerId: yield* customerId(customer.value) })
    }
    const call = yield* (yield* Connection).endpoint("sites", "create")
    yield* showRecord(yield* call({ payload }), siteFields)
  })
).pipe(
  Command.withDescription("Create a site"),
  Command.withExamples([{ command: 'edp sites create --name Home --address "1 Capitol Mall, Sacramento, CA 95814"' }])
)
