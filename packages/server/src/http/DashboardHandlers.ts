import { Layer } from "effect"
import { AlertConfigurationHandlers } from "../alerts/AlertConfigurationHandlers.ts"

export const DashboardHandlers = Layer.mergeAll(AlertConfigurationHandlers)
