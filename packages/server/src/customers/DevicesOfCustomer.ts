import type { Device } from "@edp/domain/devices/Device"
import { Context, type Effect } from "effect"

/**
 * The devices of a customer, newest first. Devices come later than customers, so they are what provides this: it is the
 * one thing that customers ask of them.
 */
export class DevicesOfCustomer extends Context.Service<
  DevicesOfCustomer,
  {
    readonly newest: (workspaceId: string, customerId: string, limit: number) => Effect.Effect<ReadonlyArray<Device>>
  }
>()("@edp/server/DevicesOfCustomer") {}
