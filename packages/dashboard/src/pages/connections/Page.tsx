import type { ConnectSessionCreated } from "@edp/domain/connections/ConnectSession"
import { useState } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { PageHeader } from "../../kit/components.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { Accounts } from "./Accounts.tsx"
import { Funnel } from "./Funnel.tsx"
import { LinkDialog } from "./LinkDialog.tsx"
import { NewLinkDialog } from "./NewLinkDialog.tsx"
import { Sessions } from "./Sessions.tsx"
import "./connections.css"

const route = pageRoute("/dashboard/connections")

export const Page = () => {
  const t = useMessages("connections")
  const tab = route.useSearch().tab ?? "accounts"
  const change = route.useChange()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<ConnectSessionCreated>()
  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.lead}
        actions={
          <Button tone="main" icon="plus" onClick={() => setCreating(true)}>
            {t.newLink}
          </Button>
        }
      />
      <Tabs
        label={t.views}
        value={tab}
        onChange={(next) => change({ tab: next, page: undefined })}
        tabs={[
          { id: "accounts", label: t.accounts, content: <Accounts /> },
          { id: "sessions", label: t.sessions, content: <Sessions /> },
          { id: "funnel", label: t.funnel, content: <Funnel /> }
        ]}
      />
      <NewLinkDialog
        open={isCreating}
        onClose={() => setCreating(false)}
        onCreated={(session) => {
          setCreating(false)
          setCreated(session)
        }}
      />
      <LinkDialog created={created} isReconnect={false} onClose={() => setCreated(undefined)} />
    </>
  )
}
