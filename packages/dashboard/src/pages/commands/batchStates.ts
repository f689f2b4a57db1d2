import type { BatchStatus } from "@edp/domain/commands/BatchCommand"
import type { State } from "../../kit/components.tsx"

export const batchStates: Readonly<Record<BatchStatus, State>> = {
  pending: "info",
  running: "info",
  completed: "good",
  cancelled: "plain"
}
