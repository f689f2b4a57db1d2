import { Layer } from "effect"
import { AlertConfigurationHandlers } from "../alerts/AlertConfigurationHandlers.ts"
import { KeptReadingsHandlers } from "../telemetry/KeptReadingsHandlers.ts"

export const DashboardHandlers = Layer.mergeAll(AlertConfigurationHandlers, KeptReadingsHandlers)
