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
import { Publications } from "./home-assistant/Publications.tsx"
import { Sessions } from "./Sessions.tsx"
import "./connections.css"

const route = pageRoute("/dashboard/connections")

export const Page = () => {
  const t = useMessages("connections")
  const { edit, tab = "accounts" } = route.useSearch()
  const change = route.useChange()
  const close = () => change({ edit: undefined }, { replace: true })
  const [created, setCreated] = useState<ConnectSessionCreated>()
  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.lead}
        actions={
          <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
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
          { id: "funnel", label: t.funnel, content: <Funnel /> },
          { id: "home-assistant", label: t.homeAssistant, content: <Publications /> }
        ]}
      />
      <NewLinkDialog
        open={edit === "new"}
        onClose={close}
        onCreated={(session) => {
          close()
          setCreated(session)
        }}
      />
      <LinkDialog created={created} isReconnect={false} onClose={() => setCreated(undefined)} />
    </>
  )
}
