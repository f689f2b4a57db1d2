import { Layer } from "effect"
import { AlertConfigurationHandlers } from "../alerts/AlertConfigurationHandlers.ts"
import { KeptReadingsHandlers } from "../readings/ingest/KeptReadingsHandlers.ts"

export const DashboardHandlers = Layer.mergeAll(AlertConfigurationHandlers, KeptReadingsHandlers)
