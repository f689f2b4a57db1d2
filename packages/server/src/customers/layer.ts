import { Layer } from "effect"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import * as workspaces from "../workspaces/layer.ts"
import { Customers } from "./Customers.ts"
import { CustomersBulk } from "./CustomersBulk.ts"
import { CustomersHandlers } from "./CustomersHandlers.ts"
import { CustomerSitesRepository, CustomersRepository } from "./CustomersRepository.ts"

/** Needs `DevicesOfCustomer`, which devices provide. */
export const layer = Layer.merge(Customers.layer, CustomersBulk.layer).pipe(
  Layer.provide([CustomersRepository.layer, CustomerSitesRepository.layer, EventOutbox.layer, workspaces.layer])
)

export const handlers = CustomersHandlers.pipe(Layer.provide(layer))
