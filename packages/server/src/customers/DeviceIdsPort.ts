import { Context } from "effect"
import type { Statement } from "effect/sql"

/** The ids of a customer's devices in SQL, each once: a later slice knows where devices are stored. */
export class DeviceIdsOfCustomer extends Context.Service<
  DeviceIdsOfCustomer,
  (workspaceId: Statement.Fragment, customerId: Statement.Fragment) => Statement.Fragment
>()("@edp/server/customers/DeviceIdsOfCustomer") {}
