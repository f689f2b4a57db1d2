import type { ConnectedAccount, ConnectedAccountStatus } from "@edp/domain/connections/ConnectedAccount"
import { useTexts } from "../../i18n/useTexts.ts"
import { Age } from "../../kit/Figure.tsx"
import type { State } from "../../kit/Parts.tsx"
import { texts } from "./texts.ts"

export const accountStates: Readonly<Record<ConnectedAccountStatus, State>> = {
  connected: "good",
  failed: "bad",
  disconnected: "plain"
}

/** How long the platform may act for the person. */
export const Credentials = ({ account }: { readonly account: ConnectedAccount }) => {
  const t = useTexts(texts)
  if (account.status === "disconnected") return t.noCredentials
  if (account.status === "failed") return t.lost
  if (account.renewAt !== null) {
    return (
      <>
        {t.renewed} <Age time={account.renewAt} />
      </>
    )
  }
  if (account.credentialsExpireAt === null) return t.noExpiry
  return (
    <>
      {t.expires} <Age time={account.credentialsExpireAt} />
    </>
  )
}
