import type { GridConnectionStatus } from "@edp/domain/grid/GridConnection"
import { useMessages } from "../../i18n/useMessages.ts"
import { Badge, type State } from "../../kit/components.tsx"

const states: Readonly<Record<GridConnectionStatus, State>> = {
  connecting: "info",
  connected: "good",
  failing: "bad",
  paused: "plain"
}

export const StatusBadge = ({ status }: { readonly status: GridConnectionStatus }) => {
  const t = useMessages("grid")
  return <Badge state={states[status]}>{t.statuses[status]}</Badge>
}
