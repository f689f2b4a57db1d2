import { Clock, Effect, Layer } from "effect"
import { DevicesOfCustomer } from "../customers/DevicesOfCustomer.ts"
import { leadOf } from "./deviceLead.ts"
import { DeviceListRepository } from "./DeviceListRepository.ts"
import { customerSelection } from "./deviceSelection.ts"
import { toDevice } from "./toDevice.ts"

/** What customers ask of devices. */
export const CustomerDevicesLive = Layer.effect(
  DevicesOfCustomer,
  Effect.gen(function* () {
    const lists = yield* DeviceListRepository
    return {
      newest: Effect.fn("DevicesOfCustomer.newest")(function* (workspaceId, customerId, limit) {
        const part = { limit, offset: 0, before: undefined }
        const lead = leadOf(customerSelection(workspaceId, customerId))
        const now = new Date(yield* Clock.currentTimeMillis)
        return (yield* lists.list(workspaceId, lead, part, now)).map(toDevice)
      })
    }
  })
)
