import type { ConnectedAccount, ConnectedAccountStatus } from "@edp/domain/connections/ConnectedAccount"
import { useMessages } from "../../i18n/useMessages.ts"
import { Age } from "../../kit/Figure.tsx"
import type { State } from "../../kit/components.tsx"

export const accountStates: Readonly<Record<ConnectedAccountStatus, State>> = {
  connected: "good",
  failed: "bad",
  disconnected: "plain"
}

/** How long the platform may act for the person. */
export const Credentials = ({ account }: { readonly account: ConnectedAccount }) => {
  const t = useMessages("connections")
  if (account.status === "disconnected") return t.noCredentials
  if (account.status === "failed") return t.lost
  if (account.renewAt !== null) {
    return (
      <span>
        {t.renewed} <Age time={account.renewAt} />
      </span>
    )
  }
  if (account.credentialsExpireAt === null) return t.noExpiry
  return (
    <span>
      {t.expires} <Age time={account.credentialsExpireAt} />
    </span>
  )
}
