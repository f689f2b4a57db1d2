import { Layer } from "effect"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as workspaces from "../workspaces/layer.ts"
import { Customers } from "./Customers.ts"
import { CustomersHandlers } from "./CustomersHandlers.ts"
import { IdentifiedCustomers } from "./IdentifiedCustomers.ts"

/** Needs `DevicesOfCustomer` and `DeviceIdsOfCustomer`, which devices provide, and `SitesOfCustomer`, which sites provide. */
export const layer = Layer.merge(Customers.layer, IdentifiedCustomers.layer).pipe(
  Layer.provide([EventOutbox.layer, workspaces.layer])
)

export const handlers = CustomersHandlers.pipe(Layer.provide([layer, EventOutbox.layer]))
