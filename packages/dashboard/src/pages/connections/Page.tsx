import type { ConnectSessionCreated } from "@edp/domain/connections/ConnectSession"
import { useState } from "react"
import { useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { PageHeader } from "../../kit/Parts.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import { useParameters } from "../../kit/useParameters.ts"
import { Accounts } from "./Accounts.tsx"
import { Funnel } from "./Funnel.tsx"
import { LinkDialog } from "./LinkDialog.tsx"
import { NewLinkDialog } from "./NewLinkDialog.tsx"
import { Sessions } from "./Sessions.tsx"
import { texts } from "./texts.ts"
import "./connections.css"

const tabs = ["accounts", "sessions", "funnel"] as const
type Tab = (typeof tabs)[number]

const isTab = (text: string | undefined): text is Tab => tabs.includes(text as Tab)

export const Page = () => {
  const t = useTexts(texts)
  const [parameters, change] = useParameters()
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<ConnectSessionCreated>()
  const tab = isTab(parameters["tab"]) ? parameters["tab"] : "accounts"
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
