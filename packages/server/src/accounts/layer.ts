import { Layer } from "effect"
import * as alerts from "../alerts/layer.ts"
import * as devices from "../devices/layer.ts"
import * as manufacturers from "../manufacturers/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { Instances } from "../platform/observability/Instances.ts"
import { GuardedHttp } from "../platform/outbound/GuardedHttp.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import * as readings from "../readings/layer.ts"
import { AccountAccess } from "./AccountAccess.ts"
import { AccountAlerts } from "./reports/AccountAlerts.ts"
import { AccountCalls } from "./calls/AccountCalls.ts"
import { AccountCredentials } from "./credentials/AccountCredentials.ts"
import { AccountLifecycle } from "./AccountLifecycle.ts"
import { AccountReports } from "./reports/AccountReports.ts"
import { AccountRunner } from "./AccountRunner.ts"
import { Accounts } from "./Accounts.ts"
import { Adapters } from "./adapter-hosts/Adapters.ts"
import { CallQuotas } from "./quotas/CallQuotas.ts"
import { DeviceImport } from "./devices/DeviceImport.ts"
import { Simulator } from "./Simulator.ts"
import { SimulatorHandlers } from "./SimulatorHandlers.ts"

const credentials = AccountCredentials.layer.pipe(Layer.provide(SecretBox.layer))

const quotas = CallQuotas.layer

const storing = AccountReports.layer.pipe(
  Layer.provideMerge(Layer.merge(AccountAlerts.layer, DeviceImport.layer)),
  Layer.provide([alerts.layer, devices.layer, readings.writing])
)

const calling = AccountCalls.layer.pipe(Layer.provideMerge(quotas))

const adapters = Adapters.layer.pipe(
  Layer.provide([GuardedHttp.layer, Instances.layer, credentials, calling, storing, manufacturers.layer])
)

const lifecycle = AccountLifecycle.layer.pipe(Layer.provide([adapters, credentials, storing, EventOutbox.layer]))

const access = AccountAccess.layer.pipe(Layer.provide([adapters, calling, credentials, lifecycle]))

/** Needs `SealingPlanner`, which the slice `metrics` provides. */
export const layer = Layer.merge(Accounts.layer, AccountRunner.layer).pipe(
  Layer.provideMerge(Layer.merge(adapters, quotas)),
  Layer.provide([access, calling, lifecycle, storing])
)

export const dashboardHandlers = SimulatorHandlers.pipe(Layer.provide(Simulator.layer.pipe(Layer.provide(layer))))
