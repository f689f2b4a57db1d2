import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { HistoryFilters } from "@edp/domain/devices/Device"
import type { DeviceNotFound, Forbidden, ValidationError } from "@edp/domain/errors/ApiErrors"
import { Context, type Effect, type Schema } from "effect"

type HistoryQuery = Schema.Struct.Type<typeof HistoryFilters>

/** A page of readings as JSON bytes, and the cursor of the next page if there is one. */
export interface HistoryAnswer {
  readonly body: Uint8Array
  readonly next: string | undefined
}

/** The readings of a device, as it reported them; the slice `readings` provides it. */
export class DeviceHistory extends Context.Service<
  DeviceHistory,
  {
    readonly read: (
      caller: CurrentKey["Service"],
      id: string,
      query: HistoryQuery
    ) => Effect.Effect<HistoryAnswer, ValidationError | DeviceNotFound | Forbidden>
  }
>()("@edp/server/DeviceHistory") {}
