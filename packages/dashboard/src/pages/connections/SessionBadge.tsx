import type { ConnectSessionStatus } from "@edp/domain/connections/ConnectSession"
import { useTexts } from "../../i18n/useTexts.ts"
import { Badge, type State } from "../../kit/Parts.tsx"
import { texts } from "./texts.ts"

const sessionStates: Readonly<Partial<Record<ConnectSessionStatus, State>>> = {
  SUCCESS: "good",
  ERROR: "bad",
  EXPIRED: "plain",
  DUPLICATE_CONNECTION: "warn",
  UNSUPPORTED_MANUFACTURER: "warn"
}

export const SessionBadge = ({ status }: { readonly status: ConnectSessionStatus }) => {
  const t = useTexts(texts)
  return <Badge state={sessionStates[status] ?? "info"}>{t.statuses[status]}</Badge>
}
