import type { ConnectSessionStatus } from "@edp/domain/connections/ConnectSession"
import { useMessages } from "../../i18n/useMessages.ts"
import { Badge, type State } from "../../kit/components.tsx"

const sessionStates: Readonly<Partial<Record<ConnectSessionStatus, State>>> = {
  SUCCESS: "good",
  ERROR: "bad",
  EXPIRED: "plain",
  DUPLICATE_CONNECTION: "warn",
  UNSUPPORTED_MANUFACTURER: "warn"
}

export const SessionBadge = ({ status }: { readonly status: ConnectSessionStatus }) => {
  const t = useMessages("connections")
  return <Badge state={sessionStates[status] ?? "info"}>{t.statuses[status]}</Badge>
}
